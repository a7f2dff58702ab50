// Turns due schedules into runs: each schedule into exactly one, however many nodes try and wherever one of them crashes.
// The run and the schedule's reference to it are written in one transaction.
// Why: docs/decisions/013-a-schedule-fires-in-one-transaction.md

import { msSince } from "../../../base/clock.ts";
import { type Result, refused } from "../../../base/result.ts";
import { accountFor } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { SpanStart } from "../ports/tracer.ts";
import type { SubmitRefusal } from "../runs/refusals.ts";
import type { Submitted } from "../runs/submission.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import { enterWorkspace, findAdmissionFault, placeIn } from "../workspaces/placed-runs/enter-workspace.ts";
import type { WorkRefusal } from "../workspaces/refusals.ts";
import {
  dispatched,
  isDue,
  firing as moveToFiring,
  notDispatched,
  type ScheduleRecord,
} from "./schedule-machine.ts";

const PAGE = 100;

type FiringRefusal = SubmitRefusal | WorkRefusal;

/** Refusals that may pass with time: credits are granted, a run ends, the queue gets shorter. */
const passing: ReadonlySet<FiringRefusal["reason"]> = new Set([
  "balance_ended",
  "concurrency_reached",
  "capacity_reached",
]);

export type Firing = {
  readonly submitter: RunSubmitter;
  /** The text for a person about a refusal. */
  readonly describe: (refusal: FiringRefusal) => string;
};

/**
 * Fires every schedule that is due, until `signal` aborts. Safe to call at any time, also on several nodes at once.
 * Rejects when the store fails; what was begun then is tried again within 30 seconds.
 */
export async function fireDueSchedules(
  core: Core,
  options: Firing & { readonly signal: AbortSignal },
): Promise<void> {
  const { signal, ...firing } = options;
  while (!signal.aborted) {
    const ids = await core.store.committed.schedules.listDue({ now: core.clock.now(), limit: PAGE });
    const fired = await Promise.allSettled(
      ids.map((id) => core.tracer.trace(firingSpan(id), () => fireSchedule(core, firing, id))),
    );
    for (const outcome of fired) if (outcome.status === "rejected") throw outcome.reason;
    if (ids.length < PAGE) return;
  }
}

/** No request waits for a firing, so each begins a trace of its own, which its run continues. */
function firingSpan(scheduleId: string): SpanStart {
  return { name: "fire schedule", parent: null, attributes: { "agent_service.schedule.id": scheduleId } };
}

/** Another node moved the schedule in the meantime: the submission is undone. */
class ScheduleMovedError extends Error {}

async function fireSchedule(core: Core, firing: Firing, scheduleId: string): Promise<void> {
  const schedule = await core.store.transact((tx) => takeSchedule(core, tx, scheduleId));
  if (schedule === null) return;
  try {
    const submitted = await submitScheduled(core, firing.submitter, schedule);
    if (!submitted.ok) {
      const { refusal } = submitted;
      return await putBack(core, schedule, { refusal, message: firing.describe(refusal) });
    }
    const late_ms = msSince(core.clock, schedule.fireAt);
    core.log.info({ schedule_id: scheduleId, run_id: submitted.value.runId, late_ms }, "schedule fired");
  } catch (cause) {
    if (!(cause instanceof ScheduleMovedError)) throw cause;
  }
}

/** Makes it `firing`. Null when it is not due any more, or another took it first. */
async function takeSchedule(
  core: Core,
  tx: StoreTransaction,
  scheduleId: string,
): Promise<ScheduleRecord | null> {
  const now = core.clock.now();
  const schedule = await tx.schedules.find(scheduleId);
  if (schedule === null || !isDue(schedule, now)) return null;
  return await tx.schedules.move(moveToFiring(schedule, now));
}

/**
 * Submits the run in the owner's name, in the agent's latest session unless one is pinned. One of a workspace begins a session
 * there.
 */
async function submitScheduled(
  core: Core,
  submitter: RunSubmitter,
  schedule: ScheduleRecord,
): Promise<Result<Submitted, FiringRefusal>> {
  const { agentId, pinnedSessionId } = schedule;
  const agent = await core.store.committed.agents.find(agentId);
  if (agent === null || agent.accountId === null) return refused({ reason: "agent_not_found", agentId });
  const workspaceId = await core.store.committed.workspaceSchedules.findWorkspace(schedule.id);
  const fault = workspaceId === null ? null : findAdmissionFault(core, agent.accountId);
  if (fault !== null) return refused(fault);
  const place = workspaceId === null ? {} : { workspace: placeIn(workspaceId) };
  const latest =
    pinnedSessionId === null && workspaceId === null
      ? await core.store.committed.sessions.findLatest(agentId)
      : null;
  const sessionId = pinnedSessionId ?? latest?.id;
  return await submitter.submit({
    caller: await accountFor(core, { accountId: agent.accountId, personId: schedule.madeBy }),
    agentId,
    body: { message: schedule.prompt, ...(sessionId === undefined ? {} : { session_id: sessionId }) },
    idempotencyKey: null,
    origin: "schedule",
    ...place,
    alongside: async (tx, run) => {
      const move = dispatched(schedule, { ...run, now: core.clock.now() });
      if ((await tx.schedules.move(move)) === null) throw new ScheduleMovedError();
      if (place.workspace !== undefined) {
        await enterWorkspace(core, tx, { ...run, agentId, workspace: place.workspace });
      }
    },
  });
}

/** After a refusal: schedules another try, or fails the schedule. The error begins with the stable reason; the rest is for people. */
async function putBack(
  core: Core,
  schedule: ScheduleRecord,
  { refusal, message }: { refusal: FiringRefusal; message: string },
): Promise<void> {
  const move = notDispatched(schedule, {
    error: `${refusal.reason}: ${message}`,
    isPassing: passing.has(refusal.reason) || (refusal.reason === "commit_unreachable" && refusal.isPassing),
    now: core.clock.now(),
    random: core.random.fraction(),
  });
  const moved = await core.store.transact((tx) => tx.schedules.move(move));
  const fields = { schedule_id: schedule.id, reason: refusal.reason, attempts: schedule.attempts };
  if (moved !== null) core.log.warn({ ...fields, status: moved.status }, "schedule not fired");
}
