import { describe, expect, it } from "vitest";
import type { Claims } from "../../../../fakes/issuer/claims.ts";
import {
  BITBUCKET_REPOSITORY,
  BITBUCKET_WORKSPACE,
  bitbucketClaims,
} from "../../../../fakes/issuer/provider-claims.ts";
import type { IssuerConfig } from "../../../../src/service/oidc/issuer-config.ts";
import { bitbucketProvider } from "../../../../src/service/oidc/providers/bitbucket.ts";

const SHA = "b".repeat(40);
const issuer: IssuerConfig = {
  provider: "bitbucket",
  issuer: "https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc",
  jwks_uri: "https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc/keys.json",
  clone_url: "https://bitbucket.org/{repository}.git",
  enabled: true,
  allow_events: [],
};

function identify(overrides: Claims, sha: string | null = SHA) {
  const claims = bitbucketClaims({ issuer: issuer.issuer, nowMs: 0, audience: "svc.example", overrides });
  return bitbucketProvider.identify(claims, issuer, { sha });
}

describe("a Bitbucket step", () => {
  it("is known by its UUIDs, which its label and its clone address are too", () => {
    expect(identify({ sub: "{11111111-c970-486b-b68a-b421ec2a1f8b}:x" })).toEqual({
      ok: true,
      value: {
        provider: "bitbucket",
        issuer: issuer.issuer,
        repository: {
          id: BITBUCKET_REPOSITORY,
          ownerId: BITBUCKET_WORKSPACE,
          name: `${BITBUCKET_WORKSPACE}/${BITBUCKET_REPOSITORY}`,
          visibility: "private",
        },
        sha: SHA,
        ref: "refs/heads/main",
        event: "pipeline",
        baseRef: null,
        actorId: null,
        workflow: null,
        runId: "{5a4d5ecd-c7d4-4dee-b0f1-2d0b2f7a7a75}",
        runAttempt: "{759de0c6-eaee-4eaa-b7a6-c507eec759a7}",
        cloneUrl:
          "https://bitbucket.org/%7B922e118c-f34f-4226-a897-0e0afbec553d%7D/%7Bbd715740-c970-486b-b68a-b421ec2a1f8b%7D.git",
      },
    });
  });

  it("is refused when it names no commit", () => {
    expect(identify({}, null)).toMatchObject({
      refusal: { reason: "claim_missing", detail: expect.stringContaining('"sha"') },
    });
  });

  it("may be of a tag, and of no deployment", () => {
    expect(identify({ branchName: undefined, deploymentEnvironmentUuid: undefined })).toMatchObject({
      value: { ref: "" },
    });
  });

  it.each([
    ["repositoryUuid", "bd715740-c970-486b-b68a-b421ec2a1f8b"],
    ["repositoryUuid", undefined],
    ["repositoryUuid", "{../../etc}"],
    ["workspaceUuid", "acme"],
    ["pipelineUuid", undefined],
    ["stepUuid", 7],
    ["branchName", "--output=x"],
    ["branchName", "a\nb"],
    ["deploymentEnvironmentUuid", "production"],
  ])("is refused with %s = %j", (name, value) => {
    expect(identify({ [name]: value })).toMatchObject({ refusal: { reason: "claim_missing" } });
  });
});
