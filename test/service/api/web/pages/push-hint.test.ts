// The line that says how the changes of a run that a person asked for are pushed: where it applies, and what it says.

import { describe, expect, it } from "vitest";
import { makeRun } from "../../../../../fakes/records.ts";
import { toHtml } from "../../../../../src/render/html/element.ts";
import type { RunReport } from "../../../../../src/report/run-report.ts";
import { pushHint } from "../../../../../src/service/api/web/pages/run/push-hint.ts";
import type { Agent } from "../../../../../src/service/core/agents/agent.ts";
import type { RunRecord } from "../../../../../src/service/core/runs/run-record.ts";

const repository: NonNullable<Agent["repository"]> = {
  provider: "github",
  issuer: "https://issuer.example",
  id: "1001",
  ownerId: "77",
  name: "octo/<hello>",
  visibility: "public",
};
const changed = {
  changes: {
    base_sha: "a".repeat(40),
    files: [{ path: "a.ts", status: "added", additions: 1, deletions: 0 }],
    patch: "",
  },
} satisfies Pick<RunReport, "changes">;
const nothing = { changes: null };
const ended = {
  status: "completed",
  stopReason: "end_turn",
  startedAt: 1,
  heartbeatAt: 1,
  endedAt: 2,
} as const;

type Case = {
  readonly run?: Partial<RunRecord>;
  readonly agent?: Pick<Agent, "repository"> | null;
  readonly isInWorkspace?: boolean;
  readonly report?: Pick<RunReport, "changes">;
};

function hintOf({ run = {}, agent = { repository }, isInWorkspace = false, report = nothing }: Case): string {
  const hint = pushHint({ run: makeRun({ id: "run-7", ...run }), agent, isInWorkspace, report });
  return hint === null ? "" : toHtml(hint);
}

describe("the hint how a run's changes are pushed", () => {
  it("is a line with what a job's step has to have, and a button that copies it", () => {
    const text = hintOf({ run: { status: "running", startedAt: 1, heartbeatAt: 1 } });
    expect(text).toContain(
      '<code id="attach-inputs">with: { mode: attach, run-id: run-7, changes: commit }</code>',
    );
    expect(text).toContain('data-copy="attach-inputs"');
    expect(text).toContain("octo/&lt;hello&gt;");
  });

  it.each<[string, Case]>([
    ["waits", {}],
    ["has ended with changes", { run: ended, report: changed }],
  ])("is there while the run %s", (_when, one) => {
    expect(hintOf(one)).toContain("mode: attach");
  });

  it.each<[string, Case]>([
    ["has ended without changes", { run: ended }],
    ["was cancelled", { run: { ...ended, status: "cancelled" }, report: changed }],
    ["has failed", { run: { ...ended, status: "failed" }, report: changed }],
    ["is a job's", { run: { about: { provider: "github", event: "push" } } }],
    ["was delegated", { run: { parentRunId: "run-1" } }],
    ["works in a workspace", { isInWorkspace: true }],
    ["was delivered", { run: { delivery: { state: "expected" } } }],
    ["has no repository", { agent: { repository: null } }],
    ["is of another code host", { agent: { repository: { ...repository, provider: "gitlab" } } }],
    ["is shown to somebody by its link", { agent: null }],
  ])("is not there where the run %s", (_when, one) => {
    expect(hintOf(one)).toBe("");
  });
});
