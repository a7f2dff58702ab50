// A stored schedule as the contract shows it. Throws on a row that its state forbids. Pure.

import type { Schedule } from "../../../contract/schedules/schedule.ts";
import { approveUrl } from "../../core/approvals/approve-url.ts";
import type { Policy } from "../../core/core.ts";
import { confirmUrl } from "../../core/schedules/confirm-url.ts";
import type { ScheduleRecord } from "../../core/schedules/schedule-machine.ts";

export function toSchedule(schedule: ScheduleRecord, policy: Pick<Policy, "webUrl">): Schedule {
  const { confirmedAt, lastError, status } = schedule;
  const sessionId = schedule.sessionId ?? schedule.pinnedSessionId;
  const common = {
    id: schedule.id,
    agent_id: schedule.agentId,
    kind: "once" as const,
    prompt: schedule.prompt,
    fire_at: iso(schedule.fireAt),
    ...(sessionId === null ? {} : { thread_id: sessionId }),
    metadata: { ...schedule.metadata },
    attempts: schedule.attempts,
    created_at: iso(schedule.createdAt),
    ...(schedule.madeBy === null ? {} : { made_by: schedule.madeBy }),
  };
  const confirmed = confirmedAt === null ? {} : { confirmed_at: iso(confirmedAt) };
  const tried = lastError === null ? {} : { last_error: lastError };
  switch (status) {
    case "awaiting_confirmation":
      return {
        status,
        ...common,
        confirm_url: confirmUrl(policy, schedule.id),
        // An approval of a schedule has its id.
        approve_url: approveUrl(policy, schedule.id),
      };
    case "pending":
    case "firing":
    case "cancelled":
      return { status, ...common, ...confirmed, ...tried };
    case "dispatched":
    case "done":
      return {
        status,
        ...common,
        ...confirmed,
        ...tried,
        last_fired_at: iso(present(schedule, "lastFiredAt")),
      };
    case "failed":
      return { status, ...common, ...confirmed, last_error: present(schedule, "lastError") };
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function present<Field extends "lastFiredAt" | "lastError">(
  schedule: ScheduleRecord,
  field: Field,
): NonNullable<ScheduleRecord[Field]> {
  const value = schedule[field];
  if (value === null || value === undefined) {
    throw new TypeError(`Schedule ${schedule.id} is ${schedule.status} but has no ${field}.`);
  }
  return value;
}
