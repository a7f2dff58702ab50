// Child runs as a backend sees them: delegate a task, wait, read the answer.

import { assertNever } from "../../base/assert-never.ts";
import { isTerminal } from "../../contract/runs/run.ts";
import type { Core } from "../core/core.ts";
import { type DelegationRefusal, delegateRun } from "../core/runs/delegate-run.ts";
import { movedWithin } from "../core/runs/moved-within.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunRecord } from "../core/runs/run-record.ts";
import { readReplies } from "../core/runs/session-history.ts";
import type { BudgetUse } from "../core/runs/usage.ts";
import type { RunBudget } from "./run-budget.ts";

/** Poll interval for a child whose signals were lost. */
const POLL_MS = 5_000;

export type ChildTask = {
  readonly message: string;
  /** No other child works beside it. Default: another may. */
  readonly isAlone?: boolean;
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

type ChildRunsOptions = {
  readonly core: Core;
  readonly parent: TakenRun;
  readonly signal: AbortSignal;
  /** Lets another worker take this one's place while `wait` waits: the child needs one. */
  readonly lend: <Value>(wait: () => Promise<Value>) => Promise<Value>;
  /** Of the parent. The child draws on it. */
  readonly budget: RunBudget;
  /** The time that the child may take, at most. */
  readonly timeLimitMs: number;
};

const nothingUsed = { countedTokens: 0, costMicroUsd: 0 };

/** Runs a task as a child, to its end. Rejects with the signal's reason; the child then ends with its parent. */
export async function runChild(
  options: ChildRunsOptions,
  { isAlone = false, ...task }: ChildTask,
): Promise<ChildOutcome> {
  const { core, parent, signal, lend, budget, timeLimitMs } = options;
  signal.throwIfAborted();
  const key = {};
  const share = budget.grant(key, { isAlone });
  if (share === null) return { status: "refused", why: NOTHING_LEFT };
  const { id: runId, fence } = parent.run;
  let used: Pick<BudgetUse, "countedTokens" | "costMicroUsd"> | null = nothingUsed;
  let child: RunRecord;
  try {
    const delegated = await delegateRun(core, { parent: { runId, fence }, ...task, ...share, timeLimitMs });
    if (!delegated.ok) return { status: "refused", why: explain(delegated.refusal) };
    // Unless its record says what it used, nobody knows.
    used = null;
    child = await lend(() => untilEnded(core, delegated.value.runId, signal));
    used = child.startedAt === null ? nothingUsed : (child.usage?.budget ?? null);
  } finally {
    budget.settle(key, used);
  }
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
      return { status: child.status, runId: child.id, why: child.stopReason ?? child.cause ?? child.status };
    default:
      throw new TypeError(`Run ${child.id} is ${child.status}, and was said to have ended.`);
  }
}

/** Resolves with the run once it has ended, whichever worker executes it. Rejects with the signal's reason. */
export async function untilEnded(core: Core, runId: string, signal: AbortSignal): Promise<RunRecord> {
  for (;;) {
    const listener = core.signals.listen(runId);
    try {
      const run = await core.store.committed.runs.find(runId);
      if (run !== null && isTerminal(run.status)) return run;
      await movedWithin(core, listener, { ms: POLL_MS, signal });
      signal.throwIfAborted();
    } finally {
      listener.stop();
    }
  }
}

const NOTHING_LEFT = "Too little of what this run may use is left for another run: do it here.";

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
