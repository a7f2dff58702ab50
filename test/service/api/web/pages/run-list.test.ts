// A list of runs: each state has a mark, a tone and words of its own, and a line says what was asked, where and by whom.

import { describe, expect, it } from "vitest";
import { makeRun } from "../../../../../fakes/records.ts";
import { runList } from "../../../../../src/service/api/web/pages/agent/run-list.ts";
import type { RunRecord } from "../../../../../src/service/core/runs/run-record.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const ended = {
  startedAt: NOW - 7_200_000,
  heartbeatAt: NOW,
  endedAt: NOW - 7_188_000,
  submittedAt: NOW - 7_200_000,
};
const draw = async (run: Partial<RunRecord>, agents: readonly { id: string; name: string }[] = []) =>
  String(await runList([makeRun({ agentId: "a1", ...run })], { agents, now: NOW }));

it.each([
  [{ status: "queued" }, "○", "live", "waits for a worker"],
  [{ status: "running", startedAt: NOW, heartbeatAt: NOW }, "▶", "live", "running"],
  [{ ...ended, status: "completed", stopReason: "end_turn" }, "✓", "good", "completed"],
  [
    { ...ended, status: "completed", stopReason: "end_turn", checks: "failed" },
    "!",
    "warn",
    "completed, its checks failed",
  ],
  [{ ...ended, status: "completed", stopReason: "question" }, "?", "warn", "has a question"],
  [{ ...ended, status: "completed", stopReason: "max_cost" }, "!", "warn", "cut: max cost"],
  [{ ...ended, status: "failed", cause: "backend_error" }, "✗", "bad", "failed: backend error"],
  [{ ...ended, status: "cancelled", cause: "user_stop" }, "■", "warn", "cancelled"],
] as const)("shows %j as %s", async (run, mark, tone, words) => {
  expect(await draw(run)).toContain(
    `<span class="state ${tone}" title="${words}"><span aria-hidden="true">${mark}</span><span class="unseen">${words}</span></span>`,
  );
});

it("says what was asked, where, by whom, how long it took and when", async () => {
  const about = {
    actor: "octocat",
    repository: "octo/hello",
    subject: { type: "pull_request", number: 7 },
  } as const;
  const run = { ...ended, status: "completed", stopReason: "end_turn", request: "Fix <it>", about } as const;
  const html = await draw(run, [{ id: "a1", name: "octo/hello" }]);
  expect(html).toContain(">Fix &lt;it&gt;</a>");
  // The agent of a repository is called as the repository: it is named once.
  expect(html).toContain('<p class="faint">octo/hello #7 · octocat</p>');
  expect(html).toContain('<span class="cost faint">12 s');
  expect(html).toContain(">2 h ago</time>");
  expect(await draw(run, [{ id: "a1", name: "helper" }])).toContain(">helper · octo/hello #7 · octocat</p>");
  expect(await draw({ ...run, request: null, about: null })).toContain("A run whose request is not kept");
});

describe("what the job of a run reports", () => {
  const reported = (report: { conclusion: string; title: string }): Partial<RunRecord> => ({
    ...ended,
    status: "completed",
    stopReason: "end_turn",
    delivery: { state: "reported", at: NOW, by: "job", report },
  });

  it("stands in the line of a run that completed, without secrets", async () => {
    const pushed = await draw(reported({ conclusion: "success", title: "Pushed 42c63fe\nto <main>" }));
    expect(pushed).toContain('<span class="state good" title="completed">');
    expect(pushed).toContain('<p class="faint">Pushed 42c63fe to &lt;main&gt;</p>');
    const secret = ["ghp", "Ab3dE5gH1jK7mN9pQ2sT4vW6xY8z0aBcDeFg"].join("_");
    expect(await draw(reported({ conclusion: "success", title: `Pushed ${secret}` }))).not.toContain(secret);
  });

  it.each([
    ["failure", "bad", "completed, its job failed"],
    ["incomplete", "warn", "completed, its job did not succeed"],
  ])("counts where it is %s", async (conclusion, tone, words) => {
    const html = await draw(reported({ conclusion, title: "The changes were not pushed" }));
    expect(html).toContain(`<span class="state ${tone}" title="${words}">`);
    expect(html).toContain(`${words} · The changes were not pushed</p>`);
  });

  it("says nothing beside the state of another run, or before it is there", async () => {
    const waiting = { ...reported({ conclusion: "", title: "" }), delivery: { state: "expected" } as const };
    expect(await draw(waiting)).toContain('<p class="faint"></p>');
    const question = reported({ conclusion: "success", title: "The agent has a question" });
    const html = await draw({ ...question, stopReason: "question" });
    expect(html).toContain('<p class="faint">has a question</p>');
  });
});
