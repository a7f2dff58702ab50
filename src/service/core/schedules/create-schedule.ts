// POST /v1/agents/{agentID}/schedules.

import { ok, refused } from "../../../base/result.ts";
import type { Unkeyed } from "../../../contract/fields.ts";
import type { CreateScheduleRequest } from "../../../contract/schedules/schedule.ts";
import type { Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { AgentRefusal, AgentRetiredRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import { onceByKey } from "../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../idempotency/refusals.ts";
import { type InsertRefusal, insertSchedule } from "./insert-schedule.ts";
import { reachScheduledAgent } from "./read-schedule.ts";
import type { ScheduleRefusal } from "./refusals.ts";
import type { ScheduleRecord } from "./schedule-machine.ts";

type CreateRefusal = AgentRetiredRefusal | InsertRefusal;
type Refusal =
  | AgentRefusal
  | ClassRefusal
  | CreateRefusal
  | ScheduleRefusal
  | KeyInFlightRefusal
  | KeyReusedRefusal;

/** Schedules one run. What an AI client schedules waits for the owner's confirmation. Safe to repeat with a key. */
export async function createSchedule(
  core: Core,
  request: {
    readonly caller: Caller;
    readonly agentId: string;
    readonly body: Unkeyed<CreateScheduleRequest>;
    readonly idempotencyKey: string | null;
  },
): Promise<OnceResult<ScheduleRecord, Refusal>> {
  const { agentId, body, idempotencyKey: key } = request;
  const reached = await reachScheduledAgent(core, request);
  if (!reached.ok) return reached;
  const { agent, caller } = reached.value;
  const { accountId } = caller;
  const keyed = { scope: `agent-schedules ${agentId}`, accountId, key, request: body };
  const made = await onceByKey<CreateRefusal>(core, keyed, async (tx) => {
    if (agent.retiredAt !== null) return refused({ reason: "agent_retired", agentId });
    const schedule = await insertSchedule(core, tx, { agent, caller, body });
    return schedule.ok ? ok(schedule.value.id) : schedule;
  });
  if (!made.ok) return made;
  core.scheduleAlarm.ring();
  const { subjectId: scheduleId } = made.value;
  const schedule = await core.store.committed.schedules.find(scheduleId);
  return schedule === null
    ? refused({ reason: "schedule_not_found", scheduleId })
    : onceResult(ok(schedule), made.value);
}
