// /v1/workspaces/{workspaceID}/schedules: list, make, read, cancel.

import type { workspaceScheduleRoutes } from "../../../../contract/workspaces/schedules.ts";
import type { Core } from "../../../core/core.ts";
import type { ScheduleRecord } from "../../../core/schedules/schedule-machine.ts";
import {
  cancelWorkspaceSchedule,
  createWorkspaceSchedule,
  findWorkspaceSchedule,
  listWorkspaceSchedules,
} from "../../../core/workspaces/consumers/schedules.ts";
import { toSchedule } from "../../shared/schedule-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown, shownOnce } from "../handler.ts";

export function workspaceScheduleHandlers(core: Core): NounHandlers<typeof workspaceScheduleRoutes> {
  const viewIn = (workspaceId: string) => (schedule: ScheduleRecord) => ({
    ...toSchedule(schedule, core.policy),
    workspace_id: workspaceId,
  });
  return {
    list: async ({ caller, params: { workspaceID: workspaceId }, query }) =>
      shown(await listWorkspaceSchedules(core, { caller, workspaceId, query }), toPage(viewIn(workspaceId))),
    create: async ({ params: { workspaceID: workspaceId }, ...request }) =>
      shownOnce(await createWorkspaceSchedule(core, { ...request, workspaceId }), viewIn(workspaceId)),
    get: async ({ caller, params: { workspaceID: workspaceId, scheduleID: scheduleId } }) =>
      shown(await findWorkspaceSchedule(core, { caller, workspaceId, scheduleId }), viewIn(workspaceId)),
    cancel: async ({ caller, params: { workspaceID: workspaceId, scheduleID: scheduleId } }) =>
      shown(await cancelWorkspaceSchedule(core, { caller, workspaceId, scheduleId }), viewIn(workspaceId)),
  };
}
