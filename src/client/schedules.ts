// Deferred runs of an agent.

import type { CreateScheduleRequest, Schedule } from "../contract/schedules/schedule.ts";
import type { AgentAddress } from "./agents.ts";
import { type Connection, requestValue } from "./request.ts";

export type ScheduleAddress = AgentAddress & { readonly scheduleId: string };

export type ScheduleClient = {
  /** POST /v1/agents/{agentId}/schedules. The route knows no key: it is sent once. */
  createSchedule(options: AgentAddress & { readonly body: CreateScheduleRequest }): Promise<Schedule>;
  /** GET /v1/agents/{agentId}/schedules. */
  listSchedules(options: AgentAddress): Promise<readonly Schedule[]>;
  /** GET /v1/agents/{agentId}/schedules/{scheduleId}. */
  getSchedule(options: ScheduleAddress): Promise<Schedule>;
  /** POST /v1/agents/{agentId}/schedules/{scheduleId}/confirm, by the owner alone. Safe to repeat. */
  confirmSchedule(options: ScheduleAddress): Promise<Schedule>;
  /**
   * DELETE /v1/agents/{agentId}/schedules/{scheduleId}. Safe to repeat, but a second cancellation is ApiError
   * `not_found`: also when the answer to the first was lost and this method asked again.
   */
  cancelSchedule(options: ScheduleAddress): Promise<Schedule>;
};

export function scheduleClient(connection: Connection): ScheduleClient {
  const decoder = async () => (await import("../contract/schedules/schedule.ts")).scheduleSchema;
  return {
    createSchedule: ({ body, ...agent }) =>
      requestValue(connection, {
        method: "POST",
        path: schedulesPath(agent),
        body,
        effect: "once",
        decoder,
        signal: agent.signal,
      }),
    listSchedules: (agent) =>
      requestValue(connection, {
        path: schedulesPath(agent),
        decoder: async () => (await import("../contract/schedules/schedule.ts")).scheduleListSchema,
        signal: agent.signal,
      }),
    getSchedule: (schedule) =>
      requestValue(connection, { path: schedulePath(schedule), decoder, signal: schedule.signal }),
    confirmSchedule: (schedule) =>
      requestValue(connection, {
        method: "POST",
        path: `${schedulePath(schedule)}/confirm`,
        decoder,
        signal: schedule.signal,
      }),
    cancelSchedule: (schedule) =>
      requestValue(connection, {
        method: "DELETE",
        path: schedulePath(schedule),
        decoder,
        signal: schedule.signal,
      }),
  };
}

function schedulesPath({ agentId }: AgentAddress): string {
  return `/v1/agents/${encodeURIComponent(agentId)}/schedules`;
}

function schedulePath(schedule: ScheduleAddress): string {
  return `${schedulesPath(schedule)}/${encodeURIComponent(schedule.scheduleId)}`;
}
