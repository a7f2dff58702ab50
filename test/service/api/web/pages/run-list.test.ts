// A list of runs: each state has a mark, a tone and words of its own, and a line says what was asked, where and by whom.

import { expect, it } from "vitest";
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
