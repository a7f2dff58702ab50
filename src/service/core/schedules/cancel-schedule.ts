// DELETE /v1/agents/{agentID}/schedules/{scheduleID}.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import { scheduleSubject } from "../approvals/approval-subject.ts";
import { resolveElsewhere } from "../approvals/request-approval.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { findSchedule } from "./read-schedule.ts";
import type { ScheduleRefusal } from "./refusals.ts";
import { cancelled, type ScheduleRecord } from "./schedule-machine.ts";

/** Cancels a schedule that was not fired. One that was fired has a run, which can be cancelled instead. */
export async function cancelSchedule(
  core: Core,
  request: { caller: Caller; agentId: string; scheduleId: string },
): Promise<Result<ScheduleRecord, AgentRefusal | ClassRefusal | ScheduleRefusal>> {
  const found = await findSchedule(core, request);
  if (!found.ok) return found;
  const { scheduleId } = request;
  const settled = await core.store.transact(async (tx) => {
    const done = await cancelWithin(tx, scheduleId);
    if (done.ok) {
      await resolveElsewhere(core, tx, { agentId: request.agentId, subject: scheduleSubject(scheduleId) });
    }
    return done;
  });
  if (settled.ok) core.scheduleAlarm.ring();
  return settled;
}

/** The cancellation as a part of a transaction. */
export async function cancelWithin(
  tx: StoreTransaction,
  scheduleId: string,
): Promise<Result<ScheduleRecord, ScheduleRefusal>> {
  const schedule = await tx.schedules.lock(scheduleId);
  if (schedule === null) return refused({ reason: "schedule_not_found", scheduleId });
  const move = cancelled(schedule);
  const moved = move === null ? null : await tx.schedules.move(move);
  if (moved !== null) return ok(moved);
  return refused({ reason: "schedule_not_cancellable", scheduleId, status: schedule.status });
}
