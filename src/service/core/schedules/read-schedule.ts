// Reading schedules: an agent's list, and one of them.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { AccountCaller, Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { Agent } from "../agents/agent.ts";
import { reachAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import type { ScheduleRefusal } from "./refusals.ts";
import type { ScheduleRecord } from "./schedule-machine.ts";

/** The agent of a schedule route, for a caller with an account's key. */
export async function reachScheduledAgent(
  core: Core,
  request: { caller: Caller; agentId: string },
): Promise<Result<{ agent: Agent; caller: AccountCaller }, AgentRefusal | ClassRefusal>> {
  const { caller } = request;
  if (caller.kind !== "account") return refused({ reason: "account_needed" });
  const agent = await reachAgent(core, request);
  return agent.ok ? ok({ agent: agent.value, caller }) : agent;
}

/** An agent's schedules, newest first. */
export async function listSchedules(
  core: Core,
  query: { caller: Caller; agentId: string },
): Promise<Result<readonly ScheduleRecord[], AgentRefusal | ClassRefusal>> {
  const reached = await reachScheduledAgent(core, query);
  return reached.ok ? ok(await core.store.committed.schedules.list(query.agentId)) : reached;
}

/** One schedule of an agent. A schedule of another agent is not found. */
export async function findSchedule(
  core: Core,
  query: { caller: Caller; agentId: string; scheduleId: string },
): Promise<Result<ScheduleRecord, AgentRefusal | ClassRefusal | ScheduleRefusal>> {
  const reached = await reachScheduledAgent(core, query);
  if (!reached.ok) return reached;
  const { agentId, scheduleId } = query;
  const schedule = await core.store.committed.schedules.find(scheduleId);
  return schedule === null || schedule.agentId !== agentId
    ? refused({ reason: "schedule_not_found", scheduleId })
    : ok(schedule);
}
