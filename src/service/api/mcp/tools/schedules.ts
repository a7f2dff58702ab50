// The tools of schedules.

import * as z from "zod/mini";
import { excerpt } from "../../../../base/bounded-text.ts";
import { ok } from "../../../../base/result.ts";
import { scheduleRoutes } from "../../../../contract/schedules/routes.ts";
import { type Schedule, scheduleSchema } from "../../../../contract/schedules/schedule.ts";
import { scheduleHandlers } from "../../http/handlers/schedules.ts";
import { cut, linesOf, omittedSchema, without } from "../answer-part.ts";
import { answer, bodyOf, said, tool } from "../tool.ts";
import { atMost, runKeyText } from "../tool-input.ts";

const MAX_PROMPT_CHARS = 300;
const MAX_ERROR_CHARS = 300;

const toolSchedule = without(scheduleSchema, ["kind", "metadata"]);

/** A long prompt is cut. */
function toToolSchedule(schedule: Schedule) {
  const shown = toolSchedule.of(schedule);
  const { text, omittedChars } = excerpt(shown.prompt, MAX_PROMPT_CHARS);
  const failed =
    "last_error" in shown && shown.last_error !== undefined
      ? { last_error: shown.last_error.slice(0, MAX_ERROR_CHARS) }
      : {};
  return { ...shown, prompt: omittedChars === 0 ? text : `${text}…`, ...failed };
}

function scheduleLine(schedule: Schedule): string {
  const { id, status, fire_at } = schedule;
  const confirm = "confirm_url" in schedule ? `. Its owner confirms it at ${schedule.confirm_url}` : "";
  return `${id}: ${status}, fires at ${fire_at}${confirm}`;
}

const scheduleAnswer = (schedule: Schedule) =>
  answer(toToolSchedule(schedule), `Schedule ${scheduleLine(schedule)}`);

export const scheduleTools = [
  tool(scheduleRoutes.create, {
    name: "create_schedule",
    title: "Schedule a run",
    description:
      "Schedules one run of an agent. It fires only after the account's owner has confirmed it in the web app: give confirm_url to the user.",
    hints: { isOpenWorld: true },
    fields: {
      fire_at: "When it fires, in UTC. Exactly one of fire_at and delay_seconds.",
      idempotency_key: runKeyText,
    },
    output: toolSchedule.schema,
    run: async (request, { core, opensPages, broughtBack }) => {
      const { create, get } = scheduleHandlers(core);
      // The client calls again after it has opened the page: the schedule that it brings back is read again.
      const made =
        broughtBack === null
          ? await create(request)
          : await get({ ...request, params: { ...request.params, scheduleID: broughtBack }, body: null });
      if (!made.ok) return made;
      const schedule = bodyOf(made.value);
      if (broughtBack === null && opensPages && "confirm_url" in schedule) {
        const message = `Confirm the run that is scheduled for ${schedule.fire_at}.`;
        return ok({ type: "open_page", url: schedule.confirm_url, message, bringBack: schedule.id });
      }
      return ok(scheduleAnswer(schedule));
    },
  }),
  tool(scheduleRoutes.list, {
    name: "list_schedules",
    title: "List schedules",
    description: "An agent's schedules, newest first.",
    hints: { isReadOnly: true },
    adds: { limit: atMost(50, 20, "Schedules") },
    output: z.object({ schedules: z.array(toolSchedule.schema), omitted: omittedSchema }),
    run: async ({ own, ...request }, { core }) =>
      said(await scheduleHandlers(core).list(request), (all) => {
        const { items, ...more } = cut(all, own.limit);
        const text = linesOf(items, scheduleLine, "There are no schedules.");
        return answer({ schedules: items.map(toToolSchedule), ...more }, text);
      }),
  }),
  tool(scheduleRoutes.cancel, {
    name: "cancel_schedule",
    title: "Cancel a schedule",
    description: "Cancels a schedule that has not fired. One that has fired has a run: cancel_run ends that.",
    hints: { isIdempotent: true },
    output: toolSchedule.schema,
    run: async (request, { core }) => said(await scheduleHandlers(core).cancel(request), scheduleAnswer),
  }),
];
