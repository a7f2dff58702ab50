import { describe, expect, it } from "vitest";
import { type Claims, SAMPLE_SHA } from "../../../../fakes/issuer/claims.ts";
import { buildkiteClaims } from "../../../../fakes/issuer/provider-claims.ts";
import type { IssuerConfig } from "../../../../src/service/oidc/issuer-config.ts";
import { buildkiteProvider } from "../../../../src/service/oidc/providers/buildkite.ts";

const issuer: IssuerConfig = {
  provider: "buildkite",
  issuer: "https://agent.buildkite.com",
  jwks_uri: "https://agent.buildkite.com/.well-known/jwks",
  clone_url: "https://github.com/acme/{pipeline}.git",
  enabled: true,
  allow_events: [],
};

function identify(
  overrides: Claims,
  { sha = null, entry = issuer }: { sha?: string | null; entry?: IssuerConfig } = {},
) {
  const claims = buildkiteClaims({ issuer: issuer.issuer, nowMs: 0, audience: "svc.example", overrides });
  return buildkiteProvider.identify(claims, entry, { sha });
}

describe("a Buildkite job", () => {
  it("is identified by the ids that it requested, and cloned by its pipeline's name", () => {
    expect(identify({ sub: "organization:victim:pipeline:secrets" })).toEqual({
      ok: true,
      value: {
        provider: "buildkite",
        issuer: issuer.issuer,
        repository: {
          id: "0184990a-4782-42b5-afc1-16715b10b1a0",
          ownerId: "0184990a-477b-4fa8-9968-496074483c77",
          name: "acme-inc/super-duper-app",
          visibility: "private",
        },
        sha: SAMPLE_SHA,
        ref: "refs/heads/main",
        event: "schedule",
        baseRef: null,
        actorId: null,
        workflow: null,
        runId: "17",
        runAttempt: "0184990a-477b-4fa8-9968-496074483cee",
        cloneUrl: "https://github.com/acme/super-duper-app.git",
      },
    });
  });

  it("may be cloned by organization and pipeline, and count as public", () => {
    const entry = { ...issuer, clone_url: "https://git.example/{repository}", visibility: "public" } as const;
    expect(identify({}, { entry })).toMatchObject({
      value: {
        cloneUrl: "https://git.example/acme-inc/super-duper-app",
        repository: { visibility: "public" },
      },
    });
  });

  it("takes the commit from the job only where the token has HEAD", () => {
    const sha = "b".repeat(40);
    expect(identify({}, { sha })).toMatchObject({ value: { sha: SAMPLE_SHA } });
    expect(identify({ build_commit: "HEAD" }, { sha })).toMatchObject({ value: { sha } });
    expect(identify({ build_commit: "HEAD" })).toMatchObject({ refusal: { reason: "claim_missing" } });
  });

  it("of a fork's branch is a pull request's, on no ref", () => {
    expect(identify({ build_branch: "outsider:main", build_source: "ui" })).toMatchObject({
      value: { event: "pull_request", ref: "" },
    });
  });

  it("may be of a tag, and of no source", () => {
    expect(identify({ build_tag: "v1", build_source: undefined })).toMatchObject({
      value: { ref: "refs/tags/v1", event: "build" },
    });
  });

  it.each(["organization_id", "pipeline_id"])("is refused without %s, and told how to ask for it", (name) => {
    for (const value of [undefined, "acme-inc", 7]) {
      expect(identify({ [name]: value })).toMatchObject({
        refusal: { reason: "claim_missing", detail: expect.stringContaining(`"--claim ${name}"`) },
      });
    }
  });

  it.each([
    ["organization_slug", "../acme"],
    ["pipeline_slug", "a/b"],
    ["pipeline_slug", undefined],
    ["build_number", "17"],
    ["build_number", 0],
    ["build_commit", "main"],
    ["build_commit", undefined],
    ["build_branch", undefined],
    ["build_tag", "--output=x"],
    ["build_source", "ui; rm"],
    ["job_id", "x"],
  ])("is refused with %s = %j", (name, value) => {
    expect(identify({ [name]: value })).toMatchObject({ refusal: { reason: "claim_missing" } });
  });
});
