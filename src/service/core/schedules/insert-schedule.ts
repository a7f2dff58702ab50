// A new schedule as a part of a transaction, with its approval where an AI client makes it.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { CreateScheduleRequest } from "../../../contract/schedules/schedule.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { Agent } from "../agents/agent.ts";
import { requestApproval, requesterOf } from "../approvals/request-approval.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { SessionRefusal } from "../sessions/refusals.ts";
import type { ScheduleRefusal } from "./refusals.ts";
import type { ScheduleRecord } from "./schedule-machine.ts";

export type InsertRefusal = ScheduleRefusal | Extract<SessionRefusal, { reason: "session_not_found" }>;

export async function insertSchedule(
  core: Core,
  tx: StoreTransaction,
  { agent, caller, body }: { agent: Agent; caller: AccountCaller; body: CreateScheduleRequest },
): Promise<Result<ScheduleRecord, InsertRefusal>> {
  const now = core.clock.now();
  const fireAt =
    body.fire_at === undefined ? now + (body.delay_seconds ?? 0) * 1000 : Date.parse(body.fire_at);
  if (fireAt < now) return refused({ reason: "schedule_time_passed", fireAt, now });
  const { id: agentId } = agent;
  const schedule: ScheduleRecord = {
    id: core.random.uuid(now),
    agentId,
    status: caller.callerClass === "owner" ? "pending" : "awaiting_confirmation",
    prompt: body.prompt,
    fireAt,
    pinnedSessionId: body.session_id ?? null,
    sessionId: null,
    metadata: body.metadata ?? {},
    lastError: null,
    attempts: 0,
    dueAt: fireAt,
    runId: null,
    createdAt: now,
    lastFiredAt: null,
    confirmedAt: null,
    madeBy: caller.personId,
  };
  if (body.session_id !== undefined) {
    const session = await tx.sessions.find(body.session_id);
    if (session?.agentId !== agentId) {
      return refused({ reason: "session_not_found", sessionId: body.session_id });
    }
  }
  await tx.schedules.insert(schedule);
  if (schedule.status === "awaiting_confirmation") {
    const { id: scheduleId, prompt } = schedule;
    await requestApproval(core, tx, {
      agent,
      action: { kind: "confirm_schedule", scheduleId, prompt, fireAt },
      requestedBy: requesterOf(caller),
    });
  }
  return ok(schedule);
}
