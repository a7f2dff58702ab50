// The schedules of a workspace, under /v1/workspaces/{workspaceID}/schedules. Pure.

import * as z from "zod/mini";
import { scheduleSchema } from "../../schedules/schedule.ts";
import { listOf, pageQuery } from "../list.ts";

export const workspaceScheduleListSchema = listOf(scheduleSchema);

export const listWorkspaceSchedulesQuerySchema = z.object(pageQuery);
