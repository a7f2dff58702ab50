// The answer of a tool that has submitted a run: a task, or the run's outcome in the time that the call may wait.

import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../base/result.ts";
import { field } from "../../../contract/field.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import { findRun } from "../../core/runs/read-run.ts";
import type { RunRefusal } from "../../core/runs/refusals.ts";
import { type RunAnswer, runAnswer } from "./run-result.ts";
import type { McpToolAnswer, McpToolContext } from "./tool.ts";
import { watchRun } from "./watch-run.ts";

/** A tool waits this long at most: most clients give up after a minute. */
const MAX_WAIT_SECONDS = 45;
const DEFAULT_WAIT_SECONDS = 30;

export const waitSecondsSchema = z._default(
  z.int().check(z.minimum(0), z.maximum(MAX_WAIT_SECONDS)),
  DEFAULT_WAIT_SECONDS,
);
export const waitSeconds = field(
  waitSecondsSchema,
  "Seconds to wait for its end. It goes on afterwards: call get_run_result.",
);

/**
 * Whether a run that the call begins may be parked: the client can continue it, by a tool. One that follows runs as tasks would wait for
 * the end of a task that is at work for days.
 */
export function mayPark({ takesTasks }: Pick<McpToolContext, "takesTasks">): boolean {
  return !takesTasks;
}

export async function followSubmitted(
  context: McpToolContext,
  { runId, waitSeconds: wait }: { readonly runId: string; readonly waitSeconds: number },
): Promise<Result<RunAnswer | Extract<McpToolAnswer<never>, { readonly type: "task" }>, RunRefusal>> {
  if (context.takesTasks) {
    const run = await findRun(context.core, { caller: context.caller, runId });
    if (!run.ok) return refused(run.refusal);
    // A repeated call may find its run at an end: then there is a result to give.
    if (!isTerminal(run.value.status)) return ok({ type: "task", run: run.value });
  }
  const watched = await watchRun(context, { runId, waitMs: wait * 1_000 });
  return watched.ok ? ok(runAnswer(watched.value)) : refused(watched.refusal);
}
