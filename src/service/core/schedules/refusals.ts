// Why a schedule is not made, found, confirmed or cancelled. Pure.

import type { ScheduleStatus } from "../../../contract/schedules/schedule.ts";

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
