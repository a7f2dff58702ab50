// agent-service schedules: deferred runs of an agent, over the API.

import { duration } from "../base/settings/kinds.ts";
import { kind } from "../base/settings/setting.ts";
import type { Schedule } from "../client/client.ts";
import { MAX_DELAY_SECONDS } from "../contract/schedules/schedule.ts";
import { openClient, serviceFlags } from "./account.ts";
import { agentArgument, findAgentId } from "./agent-name.ts";
import { type CommandGroup, command } from "./command.ts";
import { anyText, argument, UsageError, valueFlag } from "./flags.ts";
import { printFields, printJson, printTable } from "./print.ts";
import { sessionFlag } from "./runs.ts";

const scheduleArgument = argument(anyText, "The schedule's id.");

/** A time without an offset is in the terminal's time zone. */
const time = kind("a time such as 2030-01-31T09:00:00Z", (text) => {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
});

const list = command({
  summary: "List the schedules of an agent.",
  arguments: { agent: agentArgument },
  flags: serviceFlags,
  examples: ["schedules list helper"],
  run: async ({ arguments: { agent }, flags }) => {
    const client = openClient(flags);
    const found = await client.schedules.list({ agentId: await findAgentId(client, agent) });
    if (flags.json) printJson(found);
    else if (found.length === 0) process.stderr.write("There are no schedules.\n");
    else {
      printTable(
        ["ID", "STATUS", "FIRES", "PROMPT"],
        found.map(({ id, status, fire_at, prompt }) => [id, status, fire_at, prompt]),
      );
    }
    return 0;
  },
});

const create = command({
  summary: "Make a schedule: one run, later.",
  arguments: { agent: agentArgument, text: argument(anyText, "What the agent is asked then.") },
  flags: {
    ...serviceFlags,
    at: valueFlag({
      kind: time,
      fallback: null,
      takes: "<time>",
      description: "When it fires. A time without an offset is in this machine's time zone.",
    }),
    in: valueFlag({
      kind: duration({ max: MAX_DELAY_SECONDS }),
      fallback: null,
      takes: "<duration>",
      description: "How long from now it fires. A number alone is in seconds.",
    }),
    session: sessionFlag,
  },
  examples: [
    'schedules create helper "Look for new issues" --in 1h',
    'schedules create helper "Look for new issues" --at 2030-01-31T09:00:00Z',
  ],
  run: async ({ arguments: { agent, text: prompt }, flags }) => {
    const when = readTime(flags);
    const client = openClient(flags);
    const body = { prompt, ...when, ...(flags.session === null ? {} : { session_id: flags.session }) };
    return show(await client.schedules.create({ agentId: await findAgentId(client, agent), body }), flags);
  },
});

const confirm = command({
  summary: "Confirm a schedule that an AI client made.",
  arguments: { agent: agentArgument, schedule: scheduleArgument },
  flags: serviceFlags,
  examples: ["schedules confirm helper <schedule>"],
  run: async ({ arguments: { agent, schedule: scheduleId }, flags }) => {
    const client = openClient(flags);
    const agentId = await findAgentId(client, agent);
    return show(await client.schedules.confirm({ agentId, scheduleId }), flags);
  },
});

const cancel = command({
  summary: "Cancel a schedule.",
  arguments: { agent: agentArgument, schedule: scheduleArgument },
  flags: serviceFlags,
  examples: ["schedules cancel helper <schedule>"],
  run: async ({ arguments: { agent, schedule: scheduleId }, flags }) => {
    const client = openClient(flags);
    const agentId = await findAgentId(client, agent);
    return show(await client.schedules.cancel({ agentId, scheduleId }), flags);
  },
});

export const schedules: CommandGroup = {
  summary: "Deferred runs of an agent.",
  commands: { list, create, confirm, cancel },
};

function readTime({ at, in: seconds }: { readonly at: string | null; readonly in: number | null }) {
  if (at !== null && seconds === null) return { fire_at: at };
  if (at === null && seconds !== null) return { delay_seconds: seconds };
  throw new UsageError("Give one of --at <time> and --in <duration>.");
}

function show(schedule: Schedule, flags: { readonly json: boolean }): number {
  if (flags.json) {
    printJson(schedule);
    return 0;
  }
  const { id, status, fire_at, prompt, made_by } = schedule;
  const confirmUrl = status === "awaiting_confirmation" ? schedule.confirm_url : null;
  printFields({ id, status, fires: fire_at, prompt, "made by": made_by, "to confirm": confirmUrl });
  return 0;
}
