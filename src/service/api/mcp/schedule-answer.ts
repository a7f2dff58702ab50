// A schedule as the tools answer with it: a long prompt is cut. Pure.

import { excerpt } from "../../../base/bounded-text.ts";
import type { ToolSchedule } from "../../../contract/mcp/schedule-tools.ts";
import type { Policy } from "../../core/core.ts";
import type { ScheduleRecord } from "../../core/schedules/schedule-machine.ts";
import { toSchedule } from "../shared/schedule-view.ts";

const MAX_PROMPT_CHARS = 300;
const MAX_ERROR_CHARS = 300;

export function toToolSchedule(schedule: ScheduleRecord, policy: Pick<Policy, "webUrl">): ToolSchedule {
  const { kind: _, metadata: __, ...shown } = toSchedule(schedule, policy);
  const { text, omittedChars } = excerpt(shown.prompt, MAX_PROMPT_CHARS);
  const failed =
    "last_error" in shown && shown.last_error !== undefined
      ? { last_error: shown.last_error.slice(0, MAX_ERROR_CHARS) }
      : {};
  return { ...shown, prompt: omittedChars === 0 ? text : `${text}…`, ...failed };
}

export function scheduleLine({ id, status, fire_at, confirm_url }: ToolSchedule): string {
  const confirm = confirm_url === undefined ? "" : `. Its owner confirms it at ${confirm_url}`;
  return `${id}: ${status}, fires at ${fire_at}${confirm}`;
}
