import { describe, expect, it } from "vitest";
import type { Claims } from "../../../../fakes/issuer/claims.ts";
import { gitlabClaims } from "../../../../fakes/issuer/provider-claims.ts";
import type { IssuerConfig } from "../../../../src/service/oidc/issuer-config.ts";
import { gitlabProvider } from "../../../../src/service/oidc/providers/gitlab.ts";

const issuer: IssuerConfig = {
  provider: "gitlab",
  issuer: "https://gitlab.example",
  jwks_uri: "https://gitlab.example/oauth/discovery/keys",
  clone_url: "https://gitlab.example/{repository}.git",
  enabled: true,
  allow_events: [],
};

function identify(overrides: Claims) {
  const claims = gitlabClaims({ issuer: issuer.issuer, nowMs: 0, audience: "svc.example", overrides });
  return gitlabProvider.identify(claims, issuer, { sha: "b".repeat(40) });
}

describe("a GitLab job", () => {
  it("is known by its numeric ids and runs on the commit that its token names", () => {
    expect(identify({ sub: "project_path:victim/secrets:ref_type:branch:ref:main" })).toEqual({
      ok: true,
      value: {
        provider: "gitlab",
        issuer: "https://gitlab.example",
        repository: { id: "20", ownerId: "72", name: "my-group/my-project", visibility: "public" },
        sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
        ref: "refs/heads/main",
        event: "push",
        baseRef: null,
        actorId: "1",
        workflow: ".gitlab-ci.yml@refs/heads/main",
        runId: "574",
        runAttempt: "302",
        cloneUrl: "https://gitlab.example/my-group/my-project.git",
      },
    });
  });

  it.each(["internal", "private", undefined])("of a project that is %s is private", (visibility) => {
    expect(identify({ project_visibility: visibility })).toMatchObject({
      value: { repository: { visibility: "private" } },
    });
  });

  it.each(["merge_request_event", "external_pull_request_event"])("of %s is a pull request's", (source) => {
    expect(identify({ pipeline_source: source })).toMatchObject({
      ok: true,
      value: { event: "pull_request" },
    });
  });

  it("of a fork's merge request is refused, whichever project its id names", () => {
    const fork = { pipeline_source: "merge_request_event", project_id: "999" };
    expect(identify(fork)).toMatchObject({
      refusal: { reason: "event_refused", expected: "job_project_id 999", got: "20" },
    });
    expect(identify({ ...fork, job_project_id: "999", project_id: "20" })).toMatchObject({
      refusal: { reason: "event_refused" },
    });
    expect(identify({ job_project_id: "999" })).toMatchObject({ refusal: { reason: "event_refused" } });
  });

  it("of a merge request is refused where the token does not say whose it is", () => {
    const refused = identify({ pipeline_source: "merge_request_event", job_project_id: undefined });
    expect(refused).toMatchObject({
      refusal: { reason: "event_refused", detail: expect.stringContaining("18.4"), got: "nothing" },
    });
    expect(identify({ job_project_id: undefined }).ok).toBe(true);
  });

  it.each([
    ["project_path", "group/sub/sub/project"],
    ["project_path", "group/.github"],
    ["ref_path", "refs/tags/v1.0.0"],
    ["pipeline_source", "schedule"],
    ["sha", "a".repeat(64)],
  ])("may have %s = %j", (name, value) => {
    expect(identify({ [name]: value })).toMatchObject({ ok: true });
  });

  it.each([
    [undefined, null],
    [null, null],
    [7, null],
    ["gitlab.example/my-group/my-project//ci/agent.yml@refs/heads/a@b", "ci/agent.yml@refs/heads/a@b"],
    // The same path in another project, in a group that ends in its name, and on another host.
    ["gitlab.example/evil/project//.gitlab-ci.yml@refs/heads/main", null],
    ["gitlab.example/evil/my-group/my-project//.gitlab-ci.yml@refs/heads/main", null],
    ["evil.example/my-group/my-project//.gitlab-ci.yml@refs/heads/main", null],
    ["gitlab.example/my-group/my-project//", null],
    ["gitlab.example/my-group/my-project//a\nb", null],
  ])("with ci_config_ref_uri = %j has the workflow %j", (uri, workflow) => {
    expect(identify({ ci_config_ref_uri: uri })).toMatchObject({ ok: true, value: { workflow } });
  });

  it.each([undefined, null, 1, "root", "1\n"])("has no actor with user_id = %j", (id) => {
    expect(identify({ user_id: id })).toMatchObject({ ok: true, value: { actorId: null } });
  });

  const required = ["project_id", "namespace_id", "project_path", "sha", "ref_path"];
  required.push("pipeline_source", "pipeline_id", "job_id");
  it.each(required)("is refused without %s", (name) => {
    expect(identify({ [name]: undefined })).toMatchObject({
      refusal: { reason: "claim_missing", detail: expect.stringContaining(`"${name}"`), got: "nothing" },
    });
  });

  it.each([
    ["project_id", 20],
    ["project_id", "20\n"],
    ["namespace_id", "my-group"],
    ["project_path", "my-project"],
    ["project_path", "group/../../etc"],
    ["project_path", "group/./project"],
    ["project_path", "group//project"],
    ["project_path", "-group/project"],
    ["project_path", "group/project?x=1"],
    ["project_path", "user@host:group/project"],
    ["project_path", `group/${"a".repeat(1000)}`],
    ["project_visibility", "secret"],
    ["job_project_id", 20],
    ["sha", "HEAD"],
    ["sha", "A".repeat(40)],
    ["ref_path", "main"],
    ["ref_path", "refs/heads/a..b"],
    ["ref_path", "refs/heads/a\nb"],
    ["pipeline_source", "push; rm"],
    ["pipeline_id", 574],
    ["job_id", ""],
  ])("is refused with %s = %j", (name, value) => {
    expect(identify({ [name]: value })).toMatchObject({ ok: false, refusal: { reason: "claim_missing" } });
  });
});
