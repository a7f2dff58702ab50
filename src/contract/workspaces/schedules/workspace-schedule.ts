// The schedules of a workspace, under /v1/workspaces/{workspaceID}/schedules. Pure.

import { strictObject } from "../../../base/strict-object.ts";
import { scheduleSchema } from "../../schedules/schedule.ts";
import { listOf, pageQuery } from "../record.ts";

export const workspaceScheduleListSchema = listOf(scheduleSchema);

export const listWorkspaceSchedulesQuerySchema = strictObject(pageQuery);
