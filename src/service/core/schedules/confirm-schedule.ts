// POST /v1/agents/{agentID}/schedules/{scheduleID}/confirm.

import { ok, type Result, refused } from "../../../base/result.ts";
import { type Caller, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { AgentEndingRefusal, AgentRefusal } from "../agents/refusals.ts";
import { scheduleSubject } from "../approvals/approval-subject.ts";
import { approveUrl } from "../approvals/approve-url.ts";
import { resolveElsewhere } from "../approvals/request-approval.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { confirmUrl } from "./confirm-url.ts";
import { findSchedule } from "./read-schedule.ts";
import type { ScheduleRefusal } from "./refusals.ts";
import { confirmed, type ScheduleRecord } from "./schedule-machine.ts";

type Refusal = AgentRefusal | AgentEndingRefusal | ClassRefusal | ScheduleRefusal;

/**
 * Lets a schedule that an AI client made fire. Only the account's owner can: an AI client is told where the owner does it.
 * Authorizes the run, and nothing that the run asks for later. Safe to repeat.
 */
export async function confirmSchedule(
  core: Core,
  request: { caller: Caller; agentId: string; scheduleId: string },
): Promise<Result<ScheduleRecord, Refusal>> {
  const found = await findSchedule(core, request);
  if (!found.ok) return found;
  const { caller, agentId, scheduleId } = request;
  if (!isOwner(caller)) {
    const url = confirmUrl(core.policy, scheduleId);
    // An approval of a schedule has its id.
    const approval =
      found.value.status === "awaiting_confirmation"
        ? { approveUrl: approveUrl(core.policy, scheduleId) }
        : {};
    return refused({ reason: "owner_needed", what: "confirm a schedule", url, ...approval });
  }
  const settled = await core.store.transact(async (tx) => {
    const done = await confirmWithin(core, tx, { agentId, scheduleId });
    if (done.ok) await resolveElsewhere(core, tx, { agentId, subject: scheduleSubject(scheduleId) });
    return done;
  });
  if (settled.ok) core.scheduleAlarm.ring();
  return settled;
}

type StateRefusal = AgentEndingRefusal | ScheduleRefusal;

/** The confirmation as a part of a transaction. */
export async function confirmWithin(
  core: Pick<Core, "clock">,
  tx: StoreTransaction,
  { agentId, scheduleId }: { agentId: string; scheduleId: string },
): Promise<Result<ScheduleRecord, StateRefusal>> {
  const agent = await tx.agents.find(agentId);
  if (agent === null || agent.retiredAt !== null) return refused({ reason: "agent_ending", agentId });
  const schedule = await tx.schedules.lock(scheduleId);
  if (schedule === null) return refused({ reason: "schedule_not_found", scheduleId });
  if (schedule.confirmedAt !== null) return ok(schedule);
  const move = confirmed(schedule, core.clock.now());
  const moved = move === null ? null : await tx.schedules.move(move);
  if (moved !== null) return ok(moved);
  const { status, fireAt } = schedule;
  return refused({ reason: "schedule_not_confirmable", scheduleId, status, fireAt });
}
