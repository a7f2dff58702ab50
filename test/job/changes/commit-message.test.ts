import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import type { CiJob } from "../../../src/ci/provider.ts";
import { githubApi } from "../../../src/github/api/github-api.ts";
import { coAuthor } from "../../../src/github/changes/co-author.ts";
import { githubChanges } from "../../../src/github/changes/github-changes.ts";
import type { RequestSubject } from "../../../src/github/trigger/agent-request.ts";
import {
  commitMessage,
  commitTitle,
  isOfRun,
  isOfSession,
  runSeconds,
} from "../../../src/job/changes/commit-message.ts";
import { branchName, targetOf } from "../../../src/job/changes/target.ts";

const run = { id: "01a1fd26-be3c-7cc2-a059-338d7f2cf36b", sessionId: "01a1fd26-be3c-7000-8000-000000000001" };
const job: CiJob = {
  provider: "github",
  repository: { id: "74", name: "octo-org/octo-repo" },
  event: "push",
  sha: "a".repeat(40),
  runId: "1",
  attempt: 1,
  job: "agent",
  step: "agent",
};

/** Nothing here reaches GitHub. */
const noApi = githubApi({
  apiUrl: "http://127.0.0.1:9",
  repository: "octo-org/octo-repo",
  token: "",
  transport: async () => expect.fail("no call"),
  clock: systemClock,
  random: () => 0,
});

function requestSubject(title: string, more: Partial<RequestSubject> = {}): RequestSubject {
  const subject = { number: 12, isPullRequest: false, title, body: "", author: null };
  return {
    ...subject,
    refs: null,
    comment: { type: "issue_comment", id: 1 },
    command: null,
    asker: null,
    ...more,
  };
}

describe("the title", () => {
  const of = (title: string) => commitTitle({ subject: requestSubject(title), prompt: "" });

  it.each([
    ["Fixes #5 and octo/x#6, GH-7", "Fixes No. 5 and No. 6, No. 7"],
    ["closes https://github.com/octo/x/issues/5 now", "closes … now"],
    ["Say hello [skip ci] ***NO_CI***", "Say hello (skip ci) NO_CI"],
    ["Ask @octocat", "Ask octocat"],
    ["Fixes #@5, #***6, GH-@7", "Fixes No. 5, No. 6, No. 7"],
    ["closes https:@//github.com/octo/x/issues/5 now", "closes … now"],
    ["Fixes #\u001b[31m5", "Fixes #␛(31m5"],
    ["One\nCo-authored-by: Eve <eve@example.com>", "One Co-authored-by: Eve <eveexample.com>"],
    ["Hid\u202Eden \u200B", "Hid‹U+202E›den ‹U+200B›"],
    ["", "Change what the agent was asked to change"],
  ])("of %j is %j", (title, expected) => {
    expect(of(title)).toBe(expected);
  });

  it("has at most 72 characters", () => {
    expect(of("long ".repeat(100)).length).toBeLessThanOrEqual(72);
  });

  it("is the request where there is no issue", () => {
    expect(commitTitle({ subject: null, prompt: "\nTidy up\n\nMore of it." })).toBe("Tidy up");
    const command = { verb: null, request: "\nfix the tests\nplease", preamble: "" };
    const subject = requestSubject("My change", { isPullRequest: true, command });
    expect(commitTitle({ subject, prompt: "" })).toBe("fix the tests");
    expect(commitTitle({ subject: { ...subject, command: null }, prompt: "" })).toBe("My change");
  });
});

describe("the message", () => {
  const message = (env: Record<string, string>, subject: RequestSubject | null) =>
    commitMessage({
      title: "Tidy",
      run,
      host: {
        jobUrl: "https://x.test/1",
        coAuthor: coAuthor({ subject, env, noreplyHost: "noreply.test" }),
      },
    });

  it("has trailers by which a later job finds it, and no untrusted text", () => {
    const text = message({}, null);
    expect(text).toBe(
      `Tidy\n\nMade by an agent, in the job https://x.test/1\n\nAgent-Session: ${run.sessionId}\nAgent-Run: ${run.id}\n`,
    );
    expect(isOfRun(text, run)).toBe(true);
    expect(isOfSession(text, run)).toBe(true);
    expect(isOfRun(text, { ...run, id: "another" })).toBe(false);
    expect(isOfRun(`${text}\nAnother paragraph.\n`, run)).toBe(false);
    const hostile = { ...run, id: "1\nSigned-off-by: Eve" };
    const forged = commitMessage({
      title: "Tidy",
      run: hostile,
      host: { jobUrl: "https://x.test/1", coAuthor: null },
    });
    expect(forged).toContain("\nAgent-Run: 1_Signed-off-by_Eve\n");
    expect(isOfRun(forged, hostile)).toBe(true);
  });

  it("names the user who made the request, and no bot or schedule", () => {
    const actor = { GITHUB_ACTOR: "octocat", GITHUB_ACTOR_ID: "12" };
    const line = "Co-authored-by: octocat <12+octocat@noreply.test>";
    expect(message(actor, requestSubject("Title"))).toContain(line);
    expect(message({ ...actor, GITHUB_EVENT_NAME: "workflow_dispatch" }, null)).toContain(line);
    expect(message({ ...actor, GITHUB_EVENT_NAME: "schedule" }, null)).not.toContain("Co-authored-by");
    expect(message(actor, requestSubject("Title", { isPullRequest: true, comment: null }))).not.toContain(
      "Co-authored-by",
    );
    expect(message({ ...actor, GITHUB_ACTOR: "renovate[bot]" }, requestSubject("Title"))).not.toContain(
      "Co-authored-by",
    );
    expect(message({ GITHUB_ACTOR: "octocat" }, requestSubject("Title"))).not.toContain("Co-authored-by");
  });

  it("is dated by the run's id", () => {
    expect(runSeconds(run, 1)).toBe(Math.floor(0x01a1fd26be3c / 1000));
    expect(runSeconds({ ...run, id: "run-7" }, 1)).toBe(1);
  });
});

describe("the branch", () => {
  const hostOf = (env: Record<string, string | undefined>) =>
    githubChanges({ api: noApi, token: "", job, env, subject: null, setSecret: () => {} });

  const name = (
    count: number,
    sessionId: string,
    more: { subject?: RequestSubject; workflow?: string } = {},
  ) =>
    branchName(
      { subject: more.subject ?? null, host: hostOf({ GITHUB_WORKFLOW: more.workflow }) },
      { prefix: "agent/", sessionId, count },
    );

  it("is named after the issue, pull request or workflow, and the session", () => {
    const issue = name(1, run.sessionId, { subject: requestSubject("Title") });
    expect(issue).toMatch(/^agent\/issue-12-[0-9a-f]{8}$/);
    expect(name(3, run.sessionId, { subject: requestSubject("Title") })).toBe(`${issue}-3`);
    expect(name(1, run.sessionId, { subject: requestSubject("Title", { isPullRequest: true }) })).toMatch(
      /^agent\/pull-12-/,
    );
    expect(name(1, run.sessionId, { workflow: "--Ünï / ..lock" })).toMatch(/^agent\/n-lock-[0-9a-f]{8}$/);
    expect(name(1, run.sessionId, { workflow: "…" })).toMatch(/^agent\/run-[0-9a-f]{8}$/);
  });

  it("differs for two sessions of the same minute", () => {
    const other = run.sessionId.replace(/1$/, "2");
    expect(name(1, other)).not.toBe(name(1, run.sessionId));
  });

  it("is the branch that the run works on", () => {
    const refs = {
      headSha: "b".repeat(40),
      headRef: "topic",
      baseSha: "c".repeat(40),
      baseRef: "main",
      isFork: false,
      headPushedAt: null,
    };
    const host = hostOf({ GITHUB_REF: "refs/heads/feature/x" });
    expect(targetOf({ subject: null, host, job })).toEqual({ branch: "feature/x", sha: job.sha });
    expect(targetOf({ subject: requestSubject("", { refs }), host, job })).toEqual({
      branch: "topic",
      sha: refs.headSha,
    });
    expect(targetOf({ subject: null, host: hostOf({ GITHUB_REF: "refs/tags/v1" }), job })).toBe(null);
    expect(targetOf({ subject: null, host: hostOf({ GITHUB_REF: "refs/pull/7/merge" }), job })).toBe(null);
    const fork = requestSubject("", { refs: { ...refs, isFork: true } });
    expect(() => targetOf({ subject: fork, host, job })).toThrow(/comes from a fork/);
  });
});
