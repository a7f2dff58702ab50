// Child runs as a backend sees them: delegate a task, wait, read the answer.

import { assertNever } from "../../base/assert-never.ts";
import { isTerminal } from "../../contract/runs/run.ts";
import type { Core } from "../core/core.ts";
import { childIdOf, type DelegationRefusal, delegateRun } from "../core/runs/delegate-run.ts";
import { movedWithin } from "../core/runs/moved-within.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunRecord } from "../core/runs/run-record.ts";
import { readReplies } from "../core/runs/session-history.ts";
import type { BudgetUse } from "../core/runs/usage.ts";
import type { RunBudget } from "./run-budget.ts";

/** More than one run begins. */
const MAX_CHILDREN = 10_000;
/** Poll interval for a child whose signals were lost. */
const POLL_MS = 5_000;

export type ChildTask = {
  readonly message: string;
  /** The place of the call in the run: made again by another worker, it goes on with the child that it has begun. */
  readonly call?: string;
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

/**
 * Runs a task as a child, to its end, or goes on with the child that an earlier worker of the parent has begun by this call. Rejects
 * with the signal's reason; the child then ends with its parent.
 */
export async function runChild(
  options: ChildRunsOptions,
  { isAlone = false, call, message }: ChildTask,
): Promise<ChildOutcome> {
  const { core, parent, signal, lend, budget, timeLimitMs } = options;
  signal.throwIfAborted();
  const childId = call === undefined ? core.random.uuid(core.clock.now()) : childIdOf(parent.run, call);
  if (!budget.knows(childId)) {
    const share = budget.grant(childId, { isAlone });
    if (share === null) return { status: "refused", why: NOTHING_LEFT };
    const { id: runId, fence } = parent.run;
    const messages = [{ role: "user" as const, content: message }];
    const child = { runId: childId, messages, ...share, timeLimitMs };
    const delegated = await delegateRun(core, { parent: { runId, fence }, ...child }).catch(
      (cause: unknown) => {
        budget.release(childId);
        throw cause;
      },
    );
    if (!delegated.ok) {
      budget.release(childId);
      return { status: "refused", why: explainDelegation(delegated.refusal) };
    }
  }
  let child: RunRecord | null = null;
  try {
    child = await lend(() => untilEnded(core, childId, signal));
  } finally {
    budget.settle(childId, child === null ? null : usedBy(child));
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

/** What a child that has ended has used. Null: nobody knows. */
export function usedBy({
  startedAt,
  usage,
}: RunRecord): Pick<BudgetUse, "countedTokens" | "costMicroUsd"> | null {
  return startedAt === null ? nothingUsed : (usage?.budget ?? null);
}

/**
 * Has the budget of a run know the children that its earlier workers have begun: the shares of those at work are reserved, and what
 * the others have used is counted, unless it is counted already.
 */
export async function resumeChildren(
  { store }: Pick<Core, "store">,
  { runId, budget }: { readonly runId: string; readonly budget: RunBudget },
): Promise<void> {
  const { runs } = store.committed;
  for (const child of await runs.listChildren({ runId, limit: MAX_CHILDREN })) {
    if (budget.knows(child.id)) continue;
    const asked = await runs.findInput(child.id);
    // What a worker of a workspace may use is its task group's.
    if (asked?.workspace != null) continue;
    const { maxTurnTokens: tokens = 0, maxCostMicroUsd: microUsd = 0 } = asked ?? {};
    budget.reserve(child.id, { tokens, microUsd });
    if (isTerminal(child.status)) budget.settle(child.id, usedBy(child));
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

/** For the model that asked for the child. */
export function explainDelegation(refusal: DelegationRefusal): string {
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
