// A run delegates work to a child: another run of the same agent, paid by the same billing account, in a session of its own.

import { createHash } from "node:crypto";
import { uuidV7 } from "../../../base/ids.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { Message } from "../../../contract/runs/run-requests.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { aboutRun } from "./about-run.ts";
import { feeHold, queuedRun } from "./new-run.ts";
import type { RaceRole, RunInput, RunRecord } from "./run-record.ts";
import type { RunReader } from "./store-port.ts";

/** Generations that a run may have below it. */
export const MAX_GENERATIONS = 3;
/** Children of one run in flight. A plan's limit on concurrent runs does not count them. */
export const MAX_CHILDREN_IN_FLIGHT = 8;

type Delegation = {
  readonly parent: { readonly runId: string; readonly fence: number };
  /** The child's. */
  readonly runId: string;
  readonly messages: readonly Message[];
  /** 0 means the backend's default. */
  readonly maxTurnTokens: number;
  /** Null: no limit. */
  readonly maxCostMicroUsd: number | null;
  readonly timeLimitMs: number;
  /** Absent: a task of the parent's agent, with all that the parent has. */
  readonly race?: RacingRun;
};

/** One of several attempts, or the judge of them. */
export type RacingRun = {
  readonly role: RaceRole;
  /** In place of the agent's. Null: the agent's. */
  readonly model: string | null;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
};

export type DelegationRefusal =
  | { readonly reason: "parent_ending" }
  | { readonly reason: "generations_reached"; readonly allowed: number }
  | { readonly reason: "children_reached"; readonly inFlight: number; readonly allowed: number }
  | { readonly reason: "balance_ended" };

/**
 * The id of the child that a call of a run begins: the same for each worker that makes the call, so that it is begun once. `call` is
 * the place of the call in the run.
 */
export function childIdOf(
  { id, submittedAt, startedAt }: Pick<RunRecord, "id" | "submittedAt" | "startedAt">,
  call: string,
): string {
  const digest = createHash("sha256").update(`child of ${id} by ${call}`).digest();
  // Runs are ordered by their ids: it is behind its parent, also where the clock of the worker that took that one is behind.
  return uuidV7(Math.max(startedAt ?? 0, submittedAt) + 1, digest);
}

/**
 * Queues a child of a running run. The parent is locked: a cancel of the parent either finds this child, or the child is
 * refused. Rejects where there is a run of this id.
 */
export async function delegateRun(
  core: Core,
  delegation: Delegation,
): Promise<Result<{ runId: string; sessionId: string }, DelegationRefusal>> {
  const traceparent = core.tracer.here();
  try {
    const delegated = await core.store.transact((tx) => admitChild(core, tx, { ...delegation, traceparent }));
    if (!delegated.ok) return delegated;
    core.dispatch.enqueueAwaited(delegated.value.runId);
    core.signals.publish(delegated.value.sessionId);
    return delegated;
  } catch (cause) {
    if (cause instanceof UnpaidError) return refused({ reason: "balance_ended" });
    throw cause;
  }
}

/** The billing account has not enough credits: everything is undone. */
class UnpaidError extends Error {}

async function admitChild(
  core: Core,
  tx: StoreTransaction,
  delegation: Delegation & { readonly traceparent: string | null },
): Promise<Result<{ runId: string; sessionId: string }, DelegationRefusal>> {
  const { parent, runId, messages, maxTurnTokens, maxCostMicroUsd, timeLimitMs, race, traceparent } =
    delegation;
  const run = await tx.runs.lock(parent.runId);
  if (run === null || run.fence !== parent.fence || run.status !== "running") {
    return refused({ reason: "parent_ending" });
  }
  if ((await generationsLeft(tx.runs, run)) <= 0) {
    return refused({ reason: "generations_reached", allowed: MAX_GENERATIONS });
  }
  const inFlight = (await tx.runs.listUnfinishedChildren(run.id)).length;
  if (inFlight >= MAX_CHILDREN_IN_FLIGHT) {
    return refused({ reason: "children_reached", inFlight, allowed: MAX_CHILDREN_IN_FLIGHT });
  }
  const now = core.clock.now();
  const { agentId, billingAccount } = run;
  const sessionId = core.random.uuid(now);
  const input = await tx.runs.findInput(run.id);
  const admitted = await tx.runs.admit({
    run: queuedRun({
      id: runId,
      agentId,
      sessionId,
      origin: "agent",
      parentRunId: run.id,
      billingAccount,
      price: null,
      modelBilling: run.modelBilling,
      now,
      about: { ...aboutRun({ messages, job: null }), about: run.about },
      ...(input === null ? {} : { source: input }),
    }),
    input: {
      messages,
      maxTurnTokens,
      ...(maxCostMicroUsd === null ? {} : { maxCostMicroUsd }),
      timeLimitMs,
      ...(input?.setup === undefined ? {} : { setup: input.setup }),
      job: input?.job ?? null,
      ...(input?.commit === undefined ? {} : { commit: input.commit }),
      ...(input?.pullRequest === undefined ? {} : { pullRequest: input.pullRequest }),
      ...(input?.egress === undefined ? {} : { egress: input.egress }),
      ...(race === undefined ? {} : raceInput(race)),
      // A judge has no tools.
      ...(input?.mcpServers === undefined || race?.role === "judge" ? {} : { mcpServers: input.mcpServers }),
      ...(input?.mcpAccess === undefined || race?.role === "judge" ? {} : { mcpAccess: input.mcpAccess }),
      // What the chosen attempt asks for is what the run asks for.
      ...(input?.outputs === undefined || race?.role !== "attempt" ? {} : { outputs: input.outputs }),
      ...(input?.modelAccess === undefined ? {} : { modelAccess: input.modelAccess }),
      ...(traceparent === null ? {} : { traceparent }),
    },
    hold: feeHold(core, { billingAccount, runId, price: null }),
    key: null,
  });
  if (admitted !== "admitted") throw new UnpaidError();
  return ok({ runId, sessionId });
}

function raceInput({ role, model, outputSchema }: RacingRun): Partial<RunInput> {
  return {
    raceRole: role,
    ...(model === null ? {} : { model }),
    ...(outputSchema === null ? {} : { outputSchema }),
  };
}

/** Generations that a run may still have below it. */
export async function generationsLeft(
  runs: Pick<RunReader, "find">,
  run: Pick<RunRecord, "parentRunId">,
): Promise<number> {
  let left = MAX_GENERATIONS;
  for (let id = run.parentRunId; id !== null; left -= 1) id = (await runs.find(id))?.parentRunId ?? null;
  return left;
}
