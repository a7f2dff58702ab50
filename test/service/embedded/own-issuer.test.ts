import { describe, expect, it } from "vitest";
import { systemRandom } from "../../../src/base/ids.ts";
import { areFilesTrusted } from "../../../src/contract/ci/events.ts";
import type { JobIdentity } from "../../../src/service/core/ci-jobs/job-identity.ts";
import { ownIssuer } from "../../../src/service/embedded/own-issuer.ts";
import { ManualClock } from "../../support/clocks/manual-clock.ts";

const job: JobIdentity = {
  provider: "github",
  issuer: "embedded",
  repository: { id: "1", ownerId: "2", name: "octo/repo", visibility: "private" },
  sha: "a".repeat(40),
  ref: "refs/heads/main",
  event: "push",
  baseRef: null,
  actorId: null,
  workflow: null,
  runId: "3",
  runAttempt: "1",
  cloneUrl: "",
};

describe("the issuer inside a job", () => {
  it("accepts its own tokens, each with a replay key of its own", async () => {
    const issuer = ownIssuer({ job, clock: new ManualClock(), random: systemRandom });
    const [first, second] = [issuer.mint(), issuer.mint()];
    const verified = await issuer.verifier.verify(first);
    expect(verified).toMatchObject({ ok: true, value: { job } });
    const other = await issuer.verifier.verify(second);
    expect(other.ok && other.value.replayKey).not.toBe(verified.ok && verified.value.replayKey);
    expect(JSON.stringify(verified)).not.toContain(first);
  });

  it("refuses other tokens, and its own after five minutes", async () => {
    const clock = new ManualClock();
    const issuer = ownIssuer({ job, clock, random: systemRandom });
    const refusal = { ok: false, refusal: { reason: "issuer_unknown" } };
    const theirs = ownIssuer({ job, clock, random: systemRandom }).mint();
    expect(await issuer.verifier.verify(theirs)).toMatchObject(refusal);
    expect(await issuer.verifier.verify("eyJhbGciOiJub25lIn0.e30.")).toMatchObject(refusal);
    const token = issuer.mint();
    await clock.advance(5 * 60_000 + 1);
    expect(await issuer.verifier.verify(token)).toMatchObject(refusal);
  });
});

describe("a job's trust", () => {
  it.each([
    ["local", "local"],
    ["github", "push"],
    ["github", "schedule"],
    ["github", "workflow_dispatch"],
    ["github", "repository_dispatch"],
    ["github", "release"],
    ["gitlab", "push"],
    ["gitlab", "schedule"],
    ["gitlab", "web"],
    ["gitlab", "api"],
    ["circleci", "push"],
    ["buildkite", "push"],
    ["buildkite", "schedule"],
    ["bitbucket", "push"],
  ])("is in %s's %s", (provider, event) => {
    expect(areFilesTrusted({ provider, event, baseRef: null })).toBe(true);
  });

  it.each([
    ["local", "push"],
    ["gitlab", "pull_request"],
    ["gitlab", "trigger"],
    ["gitlab", "parent_pipeline"],
    ["gitlab", "pipeline"],
    ["gitlab", "chat"],
    ["gitlab", "external"],
    ["gitlab", "local"],
    ["circleci", "pull_request"],
    ["buildkite", "pull_request"],
    ["buildkite", "ui"],
    ["buildkite", "api"],
    ["buildkite", "trigger_job"],
    ["bitbucket", "pull_request"],
    ["ci", "ci"],
    ["ci", "push"],
  ])("is not in %s's %s", (provider, event) => {
    expect(areFilesTrusted({ provider, event, baseRef: null })).toBe(false);
  });

  it.each([
    "pull_request",
    "pull_request_target",
    "issue_comment",
    "issues",
    "workflow_run",
    "discussion",
    "",
  ])("is not in GitHub's %j", (event) =>
    expect(areFilesTrusted({ provider: "github", event, baseRef: null })).toBe(false),
  );

  it("is not given to a job with a base branch", () => {
    expect(areFilesTrusted({ provider: "github", event: "push", baseRef: "main" })).toBe(false);
  });
});
