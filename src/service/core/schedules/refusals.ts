// Why a schedule is not made, found, confirmed or cancelled, and what its caller is told. Pure.

import type { ScheduleStatus } from "../../../contract/schedules/schedule.ts";
import { invalidRequest, isoTime, notFound, type ProblemsOf } from "../ports/problem.ts";

export type ScheduleRefusal =
  | { readonly reason: "schedule_not_found"; readonly scheduleId: string }
  | { readonly reason: "schedule_time_passed"; readonly fireAt: number; readonly now: number }
  | {
      readonly reason: "schedule_not_confirmable";
      readonly scheduleId: string;
      readonly status: ScheduleStatus;
      readonly fireAt: number;
    }
  | {
      readonly reason: "schedule_not_cancellable";
      readonly scheduleId: string;
      readonly status: ScheduleStatus;
    };

export const scheduleProblems: ProblemsOf<ScheduleRefusal> = {
  schedule_not_found: ({ scheduleId }) => notFound(`Agent has no schedule ${scheduleId}.`),
  schedule_time_passed: ({ fireAt, now }) =>
    invalidRequest(
      `"fire_at" must not be in the past: it is ${isoTime(fireAt)}, and now is ${isoTime(now)}.`,
    ),
  schedule_not_confirmable: ({ scheduleId, status, fireAt }) => ({
    status: 409,
    code: "schedule_not_confirmable",
    message:
      status === "awaiting_confirmation"
        ? `Schedule ${scheduleId} can not be confirmed any more: its time was ${isoTime(fireAt)}. Make a new one.`
        : `Schedule ${scheduleId} needs no confirmation: it is ${status}.`,
  }),
  schedule_not_cancellable: ({ scheduleId, status }) =>
    notFound(`Schedule ${scheduleId} can not be cancelled any more: it is ${status}.`),
};
