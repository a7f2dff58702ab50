// agent-service schedules: deferred runs of an agent, over the API.

import type { Schedule } from "../client/client.ts";
import { MAX_DELAY_SECONDS } from "../contract/schedules/schedule.ts";
import { openClient, serviceFlags } from "./account.ts";
import { readFlags, readWholeNumber, runVerb, takeArguments, UsageError } from "./flags.ts";
import { printFields, printJson, printTable } from "./print.ts";

/** Resolves to the exit code. Throws UsageError, or as the client does. */
export async function schedules(args: readonly string[]): Promise<number> {
  return await runVerb("schedules", { list, create, confirm, cancel }, args);
}

async function list(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, serviceFlags);
  const [agentId = ""] = takeArguments("schedules list <agent>", positionals);
  const found = await openClient(values).schedules.list({ agentId });
  if (values.json === true) printJson(found);
  else if (found.length === 0) process.stderr.write("There are no schedules.\n");
  else {
    printTable(
      ["ID", "STATUS", "FIRES", "PROMPT"],
      found.map(({ id, status, fire_at, prompt }) => [id, status, fire_at, prompt]),
    );
  }
  return 0;
}

async function create(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, {
    ...serviceFlags,
    at: { type: "string" },
    in: { type: "string" },
    session: { type: "string" },
  });
  const [agentId = "", prompt = ""] = takeArguments("schedules create <agent> <text>", positionals);
  const time = readTime(values);
  const body = { prompt, ...time, ...(values.session === undefined ? {} : { session_id: values.session }) };
  return show(await openClient(values).schedules.create({ agentId, body }), values);
}

async function confirm(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, serviceFlags);
  const [agentId = "", scheduleId = ""] = takeArguments("schedules confirm <agent> <schedule>", positionals);
  return show(await openClient(values).schedules.confirm({ agentId, scheduleId }), values);
}

async function cancel(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, serviceFlags);
  const [agentId = "", scheduleId = ""] = takeArguments("schedules cancel <agent> <schedule>", positionals);
  return show(await openClient(values).schedules.cancel({ agentId, scheduleId }), values);
}

/** One of `--at` and `--in`. A time without an offset is the terminal's own. */
function readTime(given: { readonly at?: string | undefined; readonly in?: string | undefined }) {
  const seconds = readWholeNumber(given.in, { name: "--in", min: 1, max: MAX_DELAY_SECONDS });
  if ((given.at === undefined) === (seconds === undefined)) {
    throw new UsageError("Give one of --at <time> and --in <seconds>.");
  }
  if (given.at === undefined) return { delay_seconds: seconds };
  const at = new Date(given.at);
  if (!Number.isNaN(at.getTime())) return { fire_at: at.toISOString() };
  throw new UsageError(`--at must be a time such as 2030-01-31T09:00:00Z, got "${given.at}".`);
}

function show(schedule: Schedule, flags: { readonly json?: boolean | undefined }): number {
  if (flags.json === true) {
    printJson(schedule);
    return 0;
  }
  const { id, status, fire_at, prompt } = schedule;
  const confirmUrl = status === "awaiting_confirmation" ? schedule.confirm_url : null;
  printFields({ id, status, fires: fire_at, prompt, "to confirm": confirmUrl });
  return 0;
}
