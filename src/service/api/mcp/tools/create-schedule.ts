// create_schedule: a run at a later time, which its owner has to confirm.

import { ok, refused } from "../../../../base/result.ts";
import { createScheduleTool } from "../../../../contract/mcp/schedule-tools.ts";
import { createSchedule } from "../../../core/schedules/create-schedule.ts";
import { findSchedule } from "../../../core/schedules/read-schedule.ts";
import { withAgent } from "../find-agent.ts";
import { scheduleLine, toToolSchedule } from "../schedule-answer.ts";
import { answer, defineTool } from "../tool.ts";

export const createScheduleOfAgent = defineTool({
  name: "create_schedule",
  title: "Schedule a run",
  description:
    "Schedules one run of an agent. It fires only after the account's owner has confirmed it in the web app: give confirm_url to the user.",
  hints: { isOpenWorld: true },
  scopes: ["schedules:write"],
  schemas: createScheduleTool,
  run: async (
    { agent: named, idempotency_key: idempotencyKey = null, ...body },
    { core, caller, opensPages, broughtBack },
  ) =>
    await withAgent({ core, caller }, named, async ({ id: agentId }) => {
      // The client calls again after it has opened the page: the schedule that it brings back is read again.
      const made =
        broughtBack === null
          ? await createSchedule(core, { caller, agentId, body, idempotencyKey })
          : await findSchedule(core, { caller, agentId, scheduleId: broughtBack });
      if (!made.ok) return refused(made.refusal);
      const schedule = toToolSchedule(made.value, core.policy);
      const url = schedule.confirm_url;
      if (broughtBack === null && opensPages && url !== undefined) {
        const message = `Confirm the run that is scheduled for ${schedule.fire_at}.`;
        return ok({ type: "open_page" as const, url, message, bringBack: schedule.id });
      }
      return ok(answer(schedule, `Schedule ${scheduleLine(schedule)}`));
    }),
});
