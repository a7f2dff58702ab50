// agent-service runs: the runs of an agent, over the API.

import type { Run } from "../client/client.ts";
import { MAX_PAGE_RUNS, MAX_TURN_TOKENS } from "../contract/runs/run.ts";
import { openClient, serviceFlags } from "./account.ts";
import { readFlags, readWholeNumber, runVerb, takeArguments } from "./flags.ts";
import { followToEnd } from "./follow.ts";
import { printFields, printJson, printTable, printText } from "./print.ts";

/** Resolves to the exit code. Throws UsageError, or as the client does. */
export async function runs(args: readonly string[]): Promise<number> {
  return await runVerb("runs", { submit, list, get, cancel }, args);
}

async function submit(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, {
    ...serviceFlags,
    session: { type: "string" },
    "max-turn-tokens": { type: "string" },
    key: { type: "string" },
    follow: { type: "boolean" },
  });
  const [agentId = "", message = ""] = takeArguments("runs submit <agent> <text>", positionals);
  const maxTurnTokens = readWholeNumber(values["max-turn-tokens"], {
    name: "--max-turn-tokens",
    min: 0,
    max: MAX_TURN_TOKENS,
  });
  const client = openClient(values);
  const submitted = await client.runs.submit({
    agentId,
    body: {
      message,
      ...(values.session === undefined ? {} : { session_id: values.session }),
      ...(maxTurnTokens === undefined ? {} : { max_turn_tokens: maxTurnTokens }),
    },
    idempotencyKey: values.key,
  });
  const { runId, sessionId, replayed } = submitted;
  if (values.follow === true) {
    process.stderr.write(`Run ${runId}, session ${sessionId}\n`);
    return await followToEnd(client, { runId, format: values.json === true ? "ndjson" : "text" });
  }
  if (values.json === true) printJson({ run_id: runId, session_id: sessionId, replayed });
  else printFields({ run: runId, session: sessionId, replayed: replayed ? "by its key" : null });
  return 0;
}

async function list(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, {
    ...serviceFlags,
    before: { type: "string" },
    limit: { type: "string" },
  });
  const [agentId = ""] = takeArguments("runs list <agent>", positionals);
  const limit = readWholeNumber(values.limit, { name: "--limit", min: 1, max: MAX_PAGE_RUNS });
  const found = await openClient(values).runs.list({ agentId, query: { before: values.before, limit } });
  if (values.json === true) printJson(found);
  else if (found.length === 0) process.stderr.write("There are no runs here.\n");
  else {
    printTable(
      ["ID", "STATUS", "ORIGIN", "STARTED", "CREDITS"],
      found.map((run) => [run.id, run.status, run.origin, startOf(run), String(run.credits ?? "-")]),
    );
  }
  return 0;
}

async function get(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, serviceFlags);
  const [agentId = "", runId = ""] = takeArguments("runs get <agent> <run>", positionals);
  const run = await openClient(values).runs.get({ agentId, runId });
  if (values.json === true) printJson(run);
  else {
    const fields = Object.entries(run).map(([name, value]): [string, string] => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]);
    printFields(Object.fromEntries(fields));
  }
  return 0;
}

async function cancel(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, serviceFlags);
  const [agentId = "", runId = ""] = takeArguments("runs cancel <agent> <run>", positionals);
  const cancelled = await openClient(values).runs.cancel({ agentId, runId });
  if (values.json === true) printJson(cancelled);
  else printText(`Run ${cancelled.runId} is being cancelled.`);
  return 0;
}

function startOf(run: Run): string {
  return run.status === "queued" ? "-" : (run.started_at ?? "-");
}
