// Caps of cost a day (UTC): of the jobs' runs of a repository, and of the runs that a person of an account starts. Each run reserves
// what it may cost, and is held to it.
// Why: docs/decisions/061-a-cap-a-day.md

import { ok, type Result, refused } from "../../../base/result.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import type { Caller } from "../accounts/caller.ts";
import { personOfStarter } from "../accounts/person.ts";
import type { Agent } from "../agents/agent.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { DayCapRefusal } from "./refusals.ts";
import type { RunInput } from "./run-record.ts";
import type { ReservedRun } from "./store-port.ts";

const MICRO_PER_USD = 1_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Of a run that names no limit of its own: several of a day may be at work at once. */
const UNNAMED_SHARE = 0.25;
/** Less does not pay for a run. */
const LEAST_MICRO_USD = 10_000;

/** Whose runs of a day cost no more together. A run is under one: a job is no person. */
export type DayCap = { readonly microUsd: number } & (
  | { readonly of: "agent" }
  | { readonly of: "person"; readonly accountId: string; readonly personId: string }
);

type DayCapRun = {
  readonly agent: Agent;
  readonly runId: string;
  readonly cap: DayCap;
  /** Of the whole run. Null: it names no limit. */
  readonly maxCostMicroUsd: number | null;
  /** What it has cost so far: it was parked. Default: it begins. */
  readonly spentMicroUsd?: number;
};

/** The limit of cost of a run under the cap. */
type LimitOfDay = {
  /** Of the whole run. */
  readonly maxCostMicroUsd: number;
  /** Set where the cap leaves less than the run asks for. */
  readonly dayCap?: RunInput["dayCap"] & object;
};

/** The cap that a new run is under. Null: none. A delegated run draws on its parent's. */
export function dayCapOf(caller: Caller, agent: Agent): DayCap | null {
  if (caller.kind === "ci_job") return agentsCap(agent);
  const { accountId, personId, dayCapMicroUsd: microUsd } = caller;
  return personId === null || microUsd === undefined ? null : { of: "person", accountId, personId, microUsd };
}

/** The cap that a run is under which goes on, as it is now. */
export async function dayCapOfRun(
  tx: StoreTransaction,
  run: { readonly agent: Agent; readonly startedBy: string | undefined; readonly isOfJob: boolean },
): Promise<DayCap | null> {
  const { agent, startedBy, isOfJob } = run;
  if (isOfJob) return agentsCap(agent);
  const personId = personOfStarter(startedBy);
  const { accountId } = agent;
  if (personId === null || accountId === null) return null;
  const microUsd = (await tx.people.findMember({ accountId, personId }))?.dayCapMicroUsd;
  return microUsd === undefined ? null : { of: "person", accountId, personId, microUsd };
}

function agentsCap({ ciPolicy }: Agent): DayCap | null {
  const usd = ciPolicy?.max_usd_per_day;
  return usd === undefined ? null : { of: "agent", microUsd: Math.round(usd * MICRO_PER_USD) };
}

/**
 * Reserves what a run may cost within what is left of the day, and returns its limit. Locks the agent, or the person's account, until
 * the transaction ends.
 */
export async function reserveOfDay(
  core: Pick<Core, "clock" | "policy">,
  tx: StoreTransaction,
  { agent, runId, cap, maxCostMicroUsd, spentMicroUsd = 0 }: DayCapRun,
): Promise<Result<LimitOfDay, DayCapRefusal>> {
  if (cap.of === "agent") await tx.agents.lock(agent.id);
  else await tx.accounts.lock(cap.accountId);
  const now = core.clock.now();
  const day = new Date(now).toISOString().slice(0, 10);
  const resetsAt = nextDayAt(now);
  const { microUsd: capMicroUsd } = cap;
  const holder = cap.of === "agent" ? {} : { accountId: cap.accountId, personId: cap.personId };
  const runs = await tx.costReservations.list({ agentId: agent.id, ...holder, day });
  const own = runs.find((run) => run.runId === runId);
  const beforeMicroUsd = own?.beforeMicroUsd ?? spentMicroUsd;
  const ownMicroUsd = spentMicroUsd - beforeMicroUsd;
  const others = runs.filter((run) => run !== own);
  const usedMicroUsd = others.reduce((sum, run) => sum + costOf(run), ownMicroUsd);
  const left = capMicroUsd - usedMicroUsd;
  if (left < LEAST_MICRO_USD) {
    const used = { capMicroUsd, usedMicroUsd, resetsAt };
    if (cap.of === "agent") return refused({ reason: "day_cap_reached", agentId: agent.id, ...used });
    const url = `${core.policy.webUrl}/settings/members`;
    return refused({ reason: "person_day_cap_reached", ...used, url });
  }
  const wanted =
    maxCostMicroUsd === null
      ? Math.max(LEAST_MICRO_USD, Math.ceil(capMicroUsd * UNNAMED_SHARE))
      : Math.max(0, maxCostMicroUsd - spentMicroUsd);
  const granted = Math.min(wanted, left);
  const microUsd = ownMicroUsd + granted;
  const expiresAt = resetsAt + DAY_MS;
  const reserved = { runId, agentId: agent.id, ...holder, day, microUsd, beforeMicroUsd, expiresAt };
  await tx.costReservations.put(reserved);
  const isLess = maxCostMicroUsd === null || granted < wanted;
  return ok({
    maxCostMicroUsd: spentMicroUsd + granted,
    ...(isLess ? { dayCap: { askedMicroUsd: maxCostMicroUsd } } : {}),
  });
}

/** When the next day (UTC) begins. */
export function nextDayAt(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}

/** The part of the day's cap that a run takes: what it may cost while it is in flight, or nobody knows what it did. */
function costOf({ status, startedAt, usage, isParked, ...reserved }: ReservedRun): number {
  const { reservedMicroUsd, beforeMicroUsd } = reserved;
  if (!isTerminal(status) && !isParked) return reservedMicroUsd;
  if (startedAt === null) return 0;
  const costMicroUsd = usage?.budget?.costMicroUsd ?? null;
  return costMicroUsd === null ? reservedMicroUsd : Math.max(0, costMicroUsd - beforeMicroUsd);
}
