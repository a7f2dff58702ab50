// When the status comment is written, against the code host on loopback and a clock that only the test moves.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { type ActionTransport, openTransport } from "../../../src/action/transport.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { githubApi } from "../../../src/github/api/github-api.ts";
import { openStatusComment } from "../../../src/github/status-comment/status-comment.ts";
import type { StatusComment } from "../../../src/job/status-comment/status-comment.ts";
import { emptyReport, type RunReport } from "../../../src/report/run-report.ts";
import { ManualClock } from "../../support/clocks/manual-clock.ts";

let folder: string;
let host: CodeHost;
let connections: ActionTransport;
let clock: ManualClock;
let comment: StatusComment;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "status-comment-"));
  execFileSync("git", ["init", "--quiet", "--bare", join(folder, "repo.git")]);
  host = await startCodeHost({ repositories: { "octo-org/octo-repo": join(folder, "repo.git") } });
  const job = await host.job({ event: "issue_comment", comment: "/agent why", isIssue: true });
  connections = openTransport();
  clock = new ManualClock();
  comment = openStatusComment({
    openApi: (signal) =>
      githubApi({
        apiUrl: job.env.GITHUB_API_URL ?? "",
        repository: "octo-org/octo-repo",
        token: job.githubToken,
        transport: connections.send,
        clock: systemClock,
        random: Math.random,
        signal,
      }),
    subject: {
      number: 7,
      isPullRequest: false,
      title: "Why?",
      body: "",
      author: null,
      refs: null,
      comment: { type: "issue_comment", id: 3_000_001 },
      command: { verb: null, request: "why", preamble: "" },
      asker: { id: 12, login: "octocat", isBot: false },
    },
    job: {
      provider: "github",
      repository: { id: "74", name: "octo-org/octo-repo" },
      runId: "1",
      attempt: 1,
      job: "agent",
      step: "agent",
      event: "issue_comment",
      sha: "",
    },
    env: job.env,
    matrix: "null",
    clock,
    onWarning: (message) => expect.fail(message),
  });
});
afterEach(async () => {
  connections.close();
  await host.close();
  await rm(folder, { recursive: true });
});

const reportAfter = (calls: number): RunReport => ({
  ...emptyReport(),
  state: { status: "running", startedAtMs: 0 },
  calls: Array.from({ length: calls }, (_, at) => ({
    seq: at + 1,
    id: `call-${at}`,
    name: "read_file",
    title: `read_file ${at + 1}.txt`,
    args: { text: "", omittedChars: 0 },
    result: { text: "", omittedChars: 0 },
    hasFailed: at === 1,
    ending: null,
    resultEnd: null,
    isCutOff: false,
    startedAtMs: 0,
    endedAtMs: 1,
  })),
});
const writes = () =>
  host.requests.filter(({ method, path }) => /^(POST|PATCH)$/.test(method) && path.includes("comments"));
const text = () => String(JSON.parse(writes().at(-1)?.body ?? "{}").body);

describe("the status comment", () => {
  it("pauses between two edits, longer each time, and then writes the newest text alone", async () => {
    comment.begin({ id: "run-1", url: null, apiUrl: null });
    await clock.whenSleeping(1);
    expect(writes()).toHaveLength(1);
    comment.update(reportAfter(1));
    comment.update(reportAfter(2));
    await clock.pass(3_999);
    expect(writes()).toHaveLength(1);
    clock.advance(1);
    await clock.whenSleeping(1);
    expect(writes()).toHaveLength(2);
    expect(text()).toContain("- ✔️ <code>read&#95;file 1.txt</code>\n- ❌ <code>read&#95;file 2.txt</code>");
    comment.update(reportAfter(3));
    await clock.pass(5_999);
    expect(writes()).toHaveLength(2);
    clock.advance(1);
    await clock.whenSleeping(1);
    expect(writes()).toHaveLength(3);
    expect(text()).toContain("3.txt");
  });

  it("writes the end at once", async () => {
    comment.begin({ id: "run-1", url: null, apiUrl: null });
    await clock.whenSleeping(1);
    comment.update(reportAfter(1));
    const url = await comment.conclude({
      conclusion: "success",
      reason: "completed",
      report: reportAfter(1),
      delivery: null,
      creditsCharged: null,
      creditsRemaining: null,
      tokens: null,
      claimUrl: null,
      hurry: new AbortController().signal,
    });
    expect(url).toBe(`${host.url}/octo-org/octo-repo/pull/7#issuecomment-7000001`);
    expect(text()).toContain("✅ Finished without an answer");
  });
});
