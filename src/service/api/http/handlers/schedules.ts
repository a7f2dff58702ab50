// /v1/agents/{agentID}/schedules: create, list, read, confirm, cancel.

import type { scheduleRoutes } from "../../../../contract/schedules/routes.ts";
import type { AccountCaller } from "../../../core/accounts/caller.ts";
import type { Core } from "../../../core/core.ts";
import { cancelSchedule } from "../../../core/schedules/cancel-schedule.ts";
import { confirmSchedule } from "../../../core/schedules/confirm-schedule.ts";
import { createSchedule } from "../../../core/schedules/create-schedule.ts";
import { findSchedule, listSchedules } from "../../../core/schedules/read-schedule.ts";
import type { ScheduleRecord } from "../../../core/schedules/schedule-machine.ts";
import { toSchedule } from "../../shared/schedule-view.ts";
import { type NounHandlers, shown, shownOnce } from "../handler.ts";

type One = { readonly caller: AccountCaller; readonly params: { agentID: string; scheduleID: string } };

export function scheduleHandlers(core: Core): NounHandlers<typeof scheduleRoutes> {
  const view = (schedule: ScheduleRecord) => toSchedule(schedule, core.policy);
  const one = ({ caller, params }: One) => ({
    caller,
    agentId: params.agentID,
    scheduleId: params.scheduleID,
  });
  return {
    create: async ({ params, ...request }) =>
      shownOnce(await createSchedule(core, { ...request, agentId: params.agentID }), view),
    list: async ({ caller, params }) =>
      shown(await listSchedules(core, { caller, agentId: params.agentID }), (all) => all.map(view)),
    get: async (request) => shown(await findSchedule(core, one(request)), view),
    cancel: async (request) => shown(await cancelSchedule(core, one(request)), view),
    confirm: async (request) => shown(await confirmSchedule(core, one(request)), view),
  };
}
