// What each renderer makes of whole runs, byte for byte.

import { describe, expect, it } from "vitest";
import { BuildkiteLog } from "../../src/render/buildkite-log.ts";
import { renderEnd, renderProgress } from "../../src/render/comment.ts";
import { GithubLog } from "../../src/render/github-log.ts";
import { GitlabLog } from "../../src/render/gitlab-log.ts";
import { type LogFormat, RunLog } from "../../src/render/log-parts.ts";
import { ndjsonLine } from "../../src/render/ndjson.ts";
import { PlainLog } from "../../src/render/plain-log.ts";
import { renderSummary, type SummaryContext } from "../../src/render/summary.ts";
import type { Conclusion } from "../../src/report/conclusion.ts";
import { expectGolden } from "./golden.ts";
import { reportOf, streams } from "./streams.ts";

const conclusions: Record<keyof typeof streams, Partial<SummaryContext> & { conclusion: Conclusion }> = {
  briefing: {
    conclusion: "success",
    reason: "completed",
    tokens: 12_345,
    creditsCharged: 12,
    delivery: {
      type: "pull_request",
      branch: "agent/issue-12",
      sha: "c".repeat(40),
      number: 17,
      url: "https://github.com/octo/hello/pull/17",
      isNew: true,
    },
  },
  failure: { conclusion: "failure", reason: "backend_error" },
  cancellation: { conclusion: "cancelled", reason: "user_stop", message: "The job was cancelled." },
  "quota-end": { conclusion: "quota", reason: "quota_ended", message: "Claim the agent to go on." },
  hostile: { conclusion: "failure", reason: "stalled" },
  "taken-up": { conclusion: "success", reason: "completed" },
  parked: {
    conclusion: "incomplete",
    reason: "max_cost",
    message:
      'The run reached its limit of cost. Reply with "/agent continue max-cost 4" until 2026-01-29, and it goes on with what it has done.',
  },
};

describe.each(Object.entries(streams))("the run %s", (name, events) => {
  const write = (format: LogFormat): string => {
    const log = new RunLog();
    const parts = events.map((event) => log.add(event));
    expect(log.end()).toEqual([]);
    return parts.flatMap((some) => format.lines(some)).join("\n");
  };

  it("has its GitHub log", () => {
    let count = 0;
    expectGolden(
      `${name}.github-log.txt`,
      `${write(new GithubLog(() => `fence-token-${String(++count).padStart(4, "0")}`))}\n`,
    );
  });

  it("has its plain log", () => {
    expectGolden(`${name}.plain-log.txt`, `${write(new PlainLog())}\n`);
  });

  it("has its GitLab log", () => {
    expectGolden(`${name}.gitlab-log.txt`, `${write(new GitlabLog(() => 1_750_000_000_000))}\n`);
  });

  it("has its Buildkite log", () => {
    expectGolden(`${name}.buildkite-log.txt`, `${write(new BuildkiteLog())}\n`);
  });

  it("has its events file", () => {
    expectGolden(`${name}.ndjson`, events.map(ndjsonLine).join(""));
  });

  it("has its comment while it goes on, and at its end", () => {
    const jobUrl = "https://github.com/octo/hello/actions/runs/42";
    const context = { jobUrl, runId: "run-1" };
    const half = reportOf(events.slice(0, Math.ceil(events.length / 2)));
    const end = renderEnd(reportOf(events), {
      ...context,
      reason: "",
      creditsCharged: null,
      creditsRemaining: null,
      tokens: null,
      claimUrl: null,
      delivery: null,
      ...conclusions[name as keyof typeof streams],
    });
    expectGolden(
      `${name}.comment.md`,
      [renderProgress(null, context), renderProgress(half, context), end].join("\n---\n\n"),
    );
  });

  it("has its summary", () => {
    const summary = renderSummary(reportOf(events), {
      reason: "",
      repository: "octo/hello",
      sha: "89abcdef0123456789abcdef0123456789abcdef",
      runId: "run-1",
      runUrl: "https://service.example.com/runs/run-1",
      sessionId: "thread-1",
      agentId: "agent-1",
      creditsCharged: null,
      creditsRemaining: null,
      tokens: null,
      claimUrl: null,
      maxBytes: 64_000,
      ...conclusions[name as keyof typeof streams],
    });
    expectGolden(`${name}.summary.md`, summary);
  });
});
