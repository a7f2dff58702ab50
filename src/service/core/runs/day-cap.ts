// The owner's cap of what the jobs' runs of a repository may cost a day (UTC): each run reserves what it may cost, and is held to it.
// Why: docs/decisions/061-a-cap-a-day.md

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Agent } from "../agents/agent.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { DayCapRefusal } from "./refusals.ts";
import type { ReservedRun } from "./store-port.ts";

const MICRO_PER_USD = 1_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Of a run that names no limit of its own: several of a day may be at work at once. */
const UNNAMED_SHARE = 0.25;
/** Less does not pay for a run. */
const LEAST_MICRO_USD = 10_000;

type DayCapRun = {
  readonly agent: Agent;
  readonly runId: string;
  readonly capUsd: number;
  /** Null: it names no limit. */
  readonly maxCostMicroUsd: number | null;
};

/** Reserves what a run may cost within what is left of the day, and returns that. Locks the agent until the transaction ends. */
export async function reserveOfDay(
  core: Pick<Core, "clock">,
  tx: StoreTransaction,
  { agent, runId, capUsd, maxCostMicroUsd }: DayCapRun,
): Promise<Result<number, DayCapRefusal>> {
  await tx.agents.lock(agent.id);
  const now = core.clock.now();
  const day = new Date(now).toISOString().slice(0, 10);
  const resetsAt = Date.parse(`${day}T00:00:00.000Z`) + DAY_MS;
  const capMicroUsd = Math.round(capUsd * MICRO_PER_USD);
  const runs = await tx.costReservations.list({ agentId: agent.id, day });
  const usedMicroUsd = runs.reduce((sum, run) => sum + costOf(run), 0);
  const left = capMicroUsd - usedMicroUsd;
  if (left < LEAST_MICRO_USD) {
    return refused({ reason: "day_cap_reached", agentId: agent.id, capMicroUsd, usedMicroUsd, resetsAt });
  }
  const wanted = maxCostMicroUsd ?? Math.max(LEAST_MICRO_USD, Math.ceil(capMicroUsd * UNNAMED_SHARE));
  const microUsd = Math.min(wanted, left);
  await tx.costReservations.put({ runId, agentId: agent.id, day, microUsd, expiresAt: resetsAt + DAY_MS });
  return ok(microUsd);
}

/** The part of the day's cap that a run takes: what it may cost while it is in flight, or nobody knows what it did. */
function costOf({ status, startedAt, usage, reservedMicroUsd }: ReservedRun): number {
  const hasEnded = status === "completed" || status === "failed" || status === "cancelled";
  if (!hasEnded) return reservedMicroUsd;
  if (startedAt === null) return 0;
  return usage?.budget?.costMicroUsd ?? reservedMicroUsd;
}
