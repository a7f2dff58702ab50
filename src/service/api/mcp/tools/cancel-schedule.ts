// cancel_schedule: a schedule that has not fired never will.

import { ok } from "../../../../base/result.ts";
import { cancelScheduleTool } from "../../../../contract/mcp/schedule-tools.ts";
import { cancelSchedule } from "../../../core/schedules/cancel-schedule.ts";
import { withAgent } from "../find-agent.ts";
import { scheduleLine, toToolSchedule } from "../schedule-answer.ts";
import { answer, defineTool } from "../tool.ts";

export const cancelScheduleOfAgent = defineTool({
  name: "cancel_schedule",
  title: "Cancel a schedule",
  description: "Cancels a schedule that has not fired. One that has fired has a run: cancel_run ends that.",
  hints: { isIdempotent: true },
  scopes: ["schedules:write"],
  schemas: cancelScheduleTool,
  run: async ({ agent: named, schedule_id: scheduleId }, { core, caller }) =>
    await withAgent({ core, caller }, named, async ({ id: agentId }) => {
      const cancelled = await cancelSchedule(core, { caller, agentId, scheduleId });
      if (!cancelled.ok) return cancelled;
      const schedule = toToolSchedule(cancelled.value, core.policy);
      return ok(answer(schedule, `Schedule ${scheduleLine(schedule)}`));
    }),
});
