// list_schedules: an agent's schedules, newest first.

import { ok } from "../../../../base/result.ts";
import { listSchedulesTool } from "../../../../contract/mcp/schedule-tools.ts";
import { listSchedules } from "../../../core/schedules/read-schedule.ts";
import { withAgent } from "../find-agent.ts";
import { scheduleLine, toToolSchedule } from "../schedule-answer.ts";
import { answer, defineTool } from "../tool.ts";

export const listSchedulesOfAgent = defineTool({
  name: "list_schedules",
  title: "List schedules",
  description: "An agent's schedules, newest first.",
  hints: { isReadOnly: true },
  scopes: ["agents:read"],
  schemas: listSchedulesTool,
  run: async ({ agent: named, limit }, { core, caller }) =>
    await withAgent({ core, caller }, named, async ({ id: agentId }) => {
      const listed = await listSchedules(core, { caller, agentId });
      if (!listed.ok) return listed;
      const schedules = listed.value.slice(0, limit).map((one) => toToolSchedule(one, core.policy));
      const omitted = listed.value.length - schedules.length;
      const text =
        schedules.length === 0 ? "There are no schedules." : schedules.map(scheduleLine).join("\n");
      return ok(answer({ schedules, ...(omitted === 0 ? {} : { omitted }) }, text));
    }),
});
