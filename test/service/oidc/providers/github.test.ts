import { describe, expect, it } from "vitest";
import { type Claims, githubClaims } from "../../../../fakes/issuer/claims.ts";
import { githubIssuer } from "../../../../src/service/oidc/issuer-config.ts";
import { githubProvider } from "../../../../src/service/oidc/providers/github.ts";

function identify(overrides: Claims) {
  const claims = githubClaims({
    issuer: githubIssuer.issuer,
    nowMs: Date.parse("2026-01-15T10:00:00Z"),
    overrides,
  });
  return githubProvider.identify(claims, githubIssuer, { sha: null });
}

describe("a GitHub job", () => {
  it("is known by its numeric ids: a subject that names another repository changes nothing", () => {
    const result = identify({ sub: "repo:victim/secrets:ref:refs/heads/main" });
    expect(result).toMatchObject({
      ok: true,
      value: {
        repository: { id: "74", ownerId: "65", name: "octo-org/octo-repo" },
        cloneUrl: "https://github.com/octo-org/octo-repo.git",
      },
    });
  });

  it.each([undefined, "repo:octo-org@65/octo-repo@74:ref:refs/heads/main", 7])(
    "needs no subject: %j",
    (sub) => {
      expect(identify({ sub }).ok).toBe(true);
    },
  );

  it("of a pull request runs on the merge commit, against its base", () => {
    const sha = "a".repeat(40);
    const result = identify({
      event_name: "pull_request",
      ref: "refs/pull/7/merge",
      head_ref: "topic",
      base_ref: "release/1.x",
      sha,
    });
    expect(result).toMatchObject({
      ok: true,
      value: { sha, ref: "refs/pull/7/merge", baseRef: "release/1.x" },
    });
  });

  it.each([
    ["sha", "a".repeat(64)],
    ["ref", ""],
    ["ref", "refs/tags/v1.0.0"],
    ["ref", "refs/heads/grün/über"],
    ["repository", "octo_corp/.github"],
    ["repository", "o/a"],
    ["repository_visibility", "internal"],
    ["repository_id", "0"],
    ["base_ref", undefined],
  ])("may have %s = %j", (name, value) => {
    expect(identify({ [name]: value })).toMatchObject({ ok: true });
  });

  it("is known by who started it and by the file that its event started, not by one that this calls", () => {
    const called = "octo-org/shared/.github/workflows/agent.yml@refs/heads/main";
    expect(identify({ ref: "refs/heads/topic", job_workflow_ref: called })).toMatchObject({
      value: { actorId: "12", workflow: ".github/workflows/agent.yml@refs/heads/topic" },
    });
  });

  it.each([
    [undefined, null],
    [7, null],
    ["octo-org/octo-repo/", null],
    ["octo-org/octo-repo/.github/workflows/a.yml@refs/heads/a@b", ".github/workflows/a.yml@refs/heads/a@b"],
    // An organization may have a file of another repository run here: it is not this repository's of the same path.
    ["octo-org/other/.github/workflows/agent.yml@refs/heads/main", null],
    ["octo-org/octo-repo2/.github/workflows/agent.yml@refs/heads/main", null],
    ["evil/octo-org/octo-repo/.github/workflows/agent.yml@refs/heads/main", null],
    ["octo-org/octo-repo/a\u0000b", null],
  ])("with workflow_ref = %j has the workflow %j", (workflow_ref, workflow) => {
    expect(identify({ workflow_ref })).toMatchObject({ ok: true, value: { workflow } });
  });

  it.each([undefined, 12, "octocat", "12\n"])("has no actor with actor_id = %j", (actor_id) => {
    expect(identify({ actor_id })).toMatchObject({ ok: true, value: { actorId: null } });
  });

  const required = ["repository_id", "repository_owner_id", "repository", "repository_visibility"];
  required.push("sha", "ref", "event_name", "run_id", "run_attempt");
  it.each(required)("is refused without %s", (name) => {
    expect(identify({ [name]: undefined })).toMatchObject({
      ok: false,
      refusal: { reason: "claim_missing", detail: expect.stringContaining(`"${name}"`), got: "nothing" },
    });
  });

  it.each([
    ["repository_id", 74],
    ["repository_id", "seventy-four"],
    ["repository_id", "74 "],
    ["repository_id", "74\n"],
    ["repository_id", "-74"],
    ["repository_id", "0x4a"],
    ["repository_id", "٧٤"],
    ["repository_id", "7".repeat(21)],
    ["repository_id", ["74"]],
    ["repository_owner_id", "octo-org"],
    ["repository_owner_id", null],
    ["repository", "../octo-repo"],
    ["repository", "octo-org/../../etc"],
    ["repository", "octo-org/.."],
    ["repository", "octo-org/a/b"],
    ["repository", "octo-org"],
    ["repository", "-octo/repo"],
    ["repository", "octo-org/-repo"],
    ["repository", "octo-org/repo?x=1"],
    ["repository", "octo-org/repo#x"],
    ["repository", "octo-org/re po"],
    ["repository", "octo-org/repo\n"],
    ["repository", "user@host:octo-org/repo"],
    ["repository", "octo-org/%2e%2e"],
    ["repository", "octo-org\\repo"],
    ["repository_visibility", "secret"],
    ["sha", "HEAD"],
    ["sha", "a".repeat(39)],
    ["sha", "A".repeat(40)],
    ["sha", "a".repeat(50)],
    ["sha", `${"a".repeat(40)}\n`],
    ["sha", `--upload-pack=${"a".repeat(26)}`],
    ["ref", "main"],
    ["ref", "refs/heads/a..b"],
    ["ref", "refs/heads/a b"],
    ["ref", "refs/heads/a\nb"],
    ["ref", "refs/heads/a:b"],
    ["ref", "--upload-pack=touch"],
    ["base_ref", "--output=x"],
    ["base_ref", "a@{1}"],
    ["base_ref", 7],
    ["event_name", "push; rm"],
    ["event_name", ""],
    ["run_id", "latest"],
    ["run_attempt", 1],
  ])("is refused with %s = %j", (name, value) => {
    expect(identify({ [name]: value })).toMatchObject({ ok: false, refusal: { reason: "claim_missing" } });
  });
});
