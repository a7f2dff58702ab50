// POST /v1/agents/{agentID}/schedules.

import { type Result, refused } from "../../../base/result.ts";
import type { CreateScheduleRequest } from "../../../contract/schedules/schedule.ts";
import type { Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { AgentRefusal, AgentRetiredRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import { type InsertRefusal, insertSchedule } from "./insert-schedule.ts";
import { reachScheduledAgent } from "./read-schedule.ts";
import type { ScheduleRecord } from "./schedule-machine.ts";

type Refusal = AgentRefusal | ClassRefusal | AgentRetiredRefusal | InsertRefusal;

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
  const created = await core.store.transact((tx) => insertSchedule(core, tx, { agent, caller, body }));
  if (created.ok) core.scheduleAlarm.ring();
  return created;
}
