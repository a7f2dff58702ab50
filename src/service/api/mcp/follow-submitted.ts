// What a tool answers that has submitted a run: a task, or what came of the run in the time that the call may wait.

import { ok, type Result, refused } from "../../../base/result.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import { findRun } from "../../core/runs/read-run.ts";
import type { RunRefusal } from "../../core/runs/refusals.ts";
import { type RunAnswer, runAnswer } from "./run-result.ts";
import type { ToolAnswer, ToolContext } from "./tool.ts";
import { watchRun } from "./watch-run.ts";

export async function followSubmitted(
  context: ToolContext,
  { runId, waitSeconds }: { readonly runId: string; readonly waitSeconds: number },
): Promise<Result<RunAnswer | Extract<ToolAnswer<never>, { readonly type: "task" }>, RunRefusal>> {
  if (context.takesTasks) {
    const run = await findRun(context.core, { caller: context.caller, runId });
    if (!run.ok) return refused(run.refusal);
    // A repeated call may find its run at an end: then there is a result to give.
    if (!isTerminal(run.value.status)) return ok({ type: "task", run: run.value });
  }
  const watched = await watchRun(context, { runId, waitMs: waitSeconds * 1_000 });
  return watched.ok ? ok(runAnswer(watched.value)) : refused(watched.refusal);
}
