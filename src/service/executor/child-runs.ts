// Child runs as a backend sees them: delegate a task, wait, read the answer.

import { assertNever } from "../../base/assert-never.ts";
import { isTerminal } from "../../contract/runs/run.ts";
import type { Core } from "../core/core.ts";
import { type DelegationRefusal, delegateRun } from "../core/runs/delegate-run.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunRecord } from "../core/runs/run-record.ts";
import { readReplies } from "../core/sessions/session-history.ts";

/** Poll interval for a child whose signals were lost. */
const POLL_MS = 5_000;

export type ChildTask = {
  readonly message: string;
  /** 0 means the backend's default. */
  readonly maxTurnTokens: number;
};

/** `reply` is the child's last message. `bound` is the `stop_reason` of a child that stopped before it was done. */
export type ChildOutcome =
  | {
      readonly status: "completed";
      readonly runId: string;
      readonly reply: string;
      readonly bound: string | null;
    }
  | { readonly status: "failed" | "cancelled"; readonly runId: string; readonly why: string }
  | { readonly status: "refused"; readonly why: string };

export type ChildRunsOptions = {
  readonly core: Core;
  readonly parent: TakenRun;
  readonly signal: AbortSignal;
  /** Lets another worker take this one's place while `wait` waits: the child needs one. */
  readonly lend: <Value>(wait: () => Promise<Value>) => Promise<Value>;
};

/** Runs a task as a child, to its end. Rejects with the signal's reason; the child then ends with its parent. */
export async function runChild(options: ChildRunsOptions, task: ChildTask): Promise<ChildOutcome> {
  const { core, parent, signal, lend } = options;
  signal.throwIfAborted();
  const { id: runId, fence } = parent.run;
  const delegated = await delegateRun(core, { parent: { runId, fence }, ...task });
  if (!delegated.ok) return { status: "refused", why: explain(delegated.refusal) };
  const child = await lend(() => untilEnded(core, delegated.value.runId, signal));
  switch (child.status) {
    case "completed":
      return {
        status: "completed",
        runId: child.id,
        reply: (await readReplies(core.store.committed, child.id)).at(-1) ?? "",
        bound: child.stopReason === "end_turn" ? null : child.stopReason,
      };
    case "failed":
    case "cancelled":
      return { status: child.status, runId: child.id, why: child.cause ?? child.status };
    default:
      throw new TypeError(`Run ${child.id} is ${child.status}, and was said to have ended.`);
  }
}

/** Resolves with the run once it has ended, whichever worker executes it. Rejects with the signal's reason. */
export async function untilEnded(core: Core, runId: string, signal: AbortSignal): Promise<RunRecord> {
  for (;;) {
    const listener = core.signals.listen(runId);
    const woken = new AbortController();
    try {
      const run = await core.store.committed.runs.find(runId);
      if (run !== null && isTerminal(run.status)) return run;
      const isTime = core.clock.sleep(POLL_MS, AbortSignal.any([signal, woken.signal])).catch(() => {});
      await Promise.race([listener.moved, isTime]);
      signal.throwIfAborted();
    } finally {
      woken.abort();
      listener.stop();
    }
  }
}

function explain(refusal: DelegationRefusal): string {
  switch (refusal.reason) {
    case "parent_ending":
      return "This run is ending.";
    case "generations_reached":
      return `A task may be handed on ${refusal.allowed} times, and this one was: do it here.`;
    case "children_reached":
      return `${refusal.inFlight} children are at work, and ${refusal.allowed} may be: wait for one.`;
    case "balance_ended":
      return "The credits do not suffice for another run: do it here.";
    default:
      return assertNever(refusal);
  }
}
