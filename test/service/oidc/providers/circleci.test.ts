import { describe, expect, it } from "vitest";
import type { Claims } from "../../../../fakes/issuer/claims.ts";
import { CIRCLECI, CIRCLECI_ORG, circleciClaims } from "../../../../fakes/issuer/provider-claims.ts";
import type { IssuerConfig } from "../../../../src/service/oidc/issuer-config.ts";
import { circleciProvider } from "../../../../src/service/oidc/providers/circleci.ts";

const SHA = "b".repeat(40);
const issuer: IssuerConfig = {
  provider: "circleci",
  issuer: `https://oidc.circleci.com/org/${CIRCLECI_ORG}`,
  jwks_uri: `https://oidc.circleci.com/org/${CIRCLECI_ORG}/.well-known/jwks-pub.json`,
  clone_url: "https://github.com/{repository}.git",
  enabled: true,
  allow_events: [],
};

function identify(
  overrides: Claims,
  { sha = SHA, entry = issuer }: { sha?: string | null; entry?: IssuerConfig } = {},
) {
  const named = Object.entries(overrides).map(([name, value]) => [`${CIRCLECI}${name}`, value]);
  const claims = circleciClaims({
    issuer: entry.issuer,
    nowMs: 0,
    audience: "svc.example",
    overrides: Object.fromEntries(named),
  });
  return circleciProvider.identify(claims, entry, { sha });
}

describe("a CircleCI job", () => {
  it("is known by its UUIDs, and runs on the commit that it names itself", () => {
    expect(identify({})).toEqual({
      ok: true,
      value: {
        provider: "circleci",
        issuer: issuer.issuer,
        repository: {
          id: "2b1d7c33-5a55-4a0e-8a41-4c7d0d7c1b22",
          ownerId: CIRCLECI_ORG,
          name: "octo-org/octo-repo",
          visibility: "private",
        },
        sha: SHA,
        ref: "refs/heads/main",
        event: "pipeline",
        baseRef: null,
        actorId: null,
        workflow: null,
        runId: "3e1d7c33-5a55-4a0e-8a41-4c7d0d7c1b23",
        runAttempt: "6f0d7c33-5a55-4a0e-8a41-4c7d0d7c1b26",
        cloneUrl: "https://github.com/octo-org/octo-repo.git",
      },
    });
  });

  it.each([null, "", "HEAD", "b".repeat(39), "B".repeat(40), `--upload-pack=${"a".repeat(26)}`])(
    "is refused when it names the commit %j",
    (sha) => {
      expect(identify({}, { sha })).toMatchObject({
        refusal: { reason: "claim_missing", detail: expect.stringContaining('"sha"') },
      });
    },
  );

  it("is refused after a re-run with SSH, and when it does not say", () => {
    expect(identify({ "ssh-rerun": true })).toMatchObject({
      refusal: { reason: "event_refused", detail: expect.stringContaining("SSH"), got: "true" },
    });
    for (const value of [undefined, "false", 0, null]) {
      expect(identify({ "ssh-rerun": value })).toMatchObject({ refusal: { reason: "claim_missing" } });
    }
  });

  it("is of the organization whose issuer signed", () => {
    const other = "11111111-2f1e-4c7a-9d11-6a2b8c4e5f60";
    expect(identify({ "org-id": other })).toMatchObject({
      refusal: { reason: "claim_missing", expected: CIRCLECI_ORG, got: other },
    });
    expect(identify({ "org-id": undefined })).toMatchObject({
      value: { repository: { ownerId: CIRCLECI_ORG } },
    });
    const shared = { ...issuer, issuer: "https://oidc.circleci.com" };
    expect(identify({ "org-id": other }, { entry: shared })).toMatchObject({
      value: { repository: { ownerId: other } },
    });
    expect(identify({ "org-id": undefined }, { entry: shared })).toMatchObject({
      refusal: { reason: "claim_missing" },
    });
  });

  it("is public where the operator says so for its issuer", () => {
    expect(identify({}, { entry: { ...issuer, visibility: "public" } })).toMatchObject({
      value: { repository: { visibility: "public" } },
    });
  });

  it.each(["refs/heads/pull/7", "refs/pull/7/head", "refs/pull/7/merge"])(
    "of %s is a pull request's",
    (ref) => {
      expect(identify({ "vcs-ref": ref })).toMatchObject({ value: { event: "pull_request", ref } });
    },
  );

  it("may be of no ref", () => {
    expect(identify({ "vcs-ref": undefined })).toMatchObject({ value: { ref: "", event: "pipeline" } });
  });

  it.each([
    "gitlab.com/octo-org/octo-repo",
    "github.com.evil.example/octo-org/octo-repo",
    "169.254.169.254/latest/meta-data",
    "github.com:8080/octo-org/octo-repo",
    "user@github.com/octo-org/octo-repo",
    "github.com/octo-org",
    "github.com/../octo-repo",
    "github.com/octo-org/octo-repo?x=1",
    "https://github.com/octo-org/octo-repo",
    "",
    undefined,
  ])("is refused from the origin %j", (origin) => {
    expect(identify({ "vcs-origin": origin })).toMatchObject({ refusal: { reason: "claim_missing" } });
  });

  it.each([
    ["project-id", "octo-repo"],
    ["project-id", undefined],
    ["project-id", "2B1D7C33-5A55-4A0E-8A41-4C7D0D7C1B22"],
    ["workflow-id", undefined],
    ["job-id", 7],
    ["vcs-ref", "main"],
    ["vcs-ref", "refs/heads/a..b"],
  ])("is refused with %s = %j", (name, value) => {
    expect(identify({ [name]: value })).toMatchObject({ refusal: { reason: "claim_missing" } });
  });
});
