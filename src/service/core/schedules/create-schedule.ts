// POST /v1/agents/{agentID}/schedules.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { CreateScheduleRequest } from "../../../contract/schedules/schedule.ts";
import type { Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { AgentRefusal, AgentRetiredRefusal } from "../agents/refusals.ts";
import { requestApproval, requesterOf } from "../approvals/request-approval.ts";
import type { Core } from "../core.ts";
import type { SessionRefusal } from "../sessions/refusals.ts";
import { reachScheduledAgent } from "./read-schedule.ts";
import type { ScheduleRefusal } from "./refusals.ts";
import type { ScheduleRecord } from "./schedule-machine.ts";

type Refusal =
  | AgentRefusal
  | ClassRefusal
  | ScheduleRefusal
  | AgentRetiredRefusal
  | Extract<SessionRefusal, { reason: "session_not_found" }>;

/** Schedules one run. What an AI client schedules waits for the owner's confirmation. */
export async function createSchedule(
  core: Core,
  request: { caller: Caller; agentId: string; body: CreateScheduleRequest },
): Promise<Result<ScheduleRecord, Refusal>> {
  const { agentId, body } = request;
  const reached = await reachScheduledAgent(core, request);
  if (!reached.ok) return reached;
  const { agent, caller } = reached.value;
  if (agent.retiredAt !== null) return refused({ reason: "agent_retired", agentId });

  const now = core.clock.now();
  const fireAt =
    body.fire_at === undefined ? now + (body.delay_seconds ?? 0) * 1000 : Date.parse(body.fire_at);
  if (fireAt < now) return refused({ reason: "schedule_time_passed", fireAt, now });

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
  };
  const created = await core.store.transact(async (tx): Promise<Result<ScheduleRecord, Refusal>> => {
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
  });
  if (created.ok) core.scheduleAlarm.ring();
  return created;
}
