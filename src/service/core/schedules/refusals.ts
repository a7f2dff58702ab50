// Refusals to make, find, confirm or cancel a schedule, and their problems. Pure.

import type { ScheduleStatus } from "../../../contract/schedules/schedule.ts";
import {
  conflict,
  invalidRequest,
  isoTime,
  notFound,
  type ProblemTable,
  type RefusalOf,
} from "../ports/problem.ts";

export const scheduleProblems = {
  schedule_not_found: ({ scheduleId }: { scheduleId: string }) =>
    notFound(`Agent has no schedule ${scheduleId}.`),
  schedule_time_passed: ({ fireAt, now }: { fireAt: number; now: number }) =>
    invalidRequest(
      `"fire_at" must not be in the past: it is ${isoTime(fireAt)}, and now is ${isoTime(now)}.`,
    ),
  schedule_not_confirmable: (refusal: { scheduleId: string; status: ScheduleStatus; fireAt: number }) =>
    conflict(
      "schedule_not_confirmable",
      refusal.status === "awaiting_confirmation"
        ? `Schedule ${refusal.scheduleId} can not be confirmed any more: its time was ${isoTime(refusal.fireAt)}. Make a new one.`
        : `Schedule ${refusal.scheduleId} needs no confirmation: it is ${refusal.status}.`,
    ),
  schedule_not_cancellable: ({ scheduleId, status }: { scheduleId: string; status: ScheduleStatus }) =>
    notFound(`Schedule ${scheduleId} can not be cancelled any more: it is ${status}.`),
} satisfies ProblemTable;

export type ScheduleRefusal = RefusalOf<typeof scheduleProblems>;
