// agent-service workflows: an owner activates and runs them, over the API; what is written is the operator's.

import { MAX_WORKFLOW_INPUT_CHARS } from "../contract/workflows/workflow.ts";
import { openClient, serviceFlags } from "./account.ts";
import { readFlags, readWholeNumber, runVerb, takeArguments, UsageError } from "./flags.ts";
import { followToEnd } from "./follow.ts";
import { printFields, printJson } from "./print.ts";

/** Resolves to the exit code. Throws UsageError or CommandError, or as the client does. */
export async function workflows(args: readonly string[]): Promise<number> {
  return await runVerb("workflows", { put, list, show, activate, run }, args);
}

async function put(args: readonly string[]): Promise<number> {
  return await (await import("./written-workflows.ts")).putWorkflow(args);
}

async function list(args: readonly string[]): Promise<number> {
  return await (await import("./written-workflows.ts")).listWorkflows(args);
}

async function show(args: readonly string[]): Promise<number> {
  return await (await import("./written-workflows.ts")).showWorkflow(args);
}

async function activate(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, { ...serviceFlags, version: { type: "string" } });
  const [workflowId = ""] = takeArguments("workflows activate <workflow>", positionals);
  const version = readWholeNumber(values.version, {
    name: "--version",
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
  });
  const body = version === undefined ? {} : { version };
  const activated = await openClient(values).workflows.activate({ id: workflowId, body });
  if (values.json === true) printJson(activated);
  else printFields({ id: activated.id, name: activated.name, active: `version ${activated.active_version}` });
  return 0;
}

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, {
    ...serviceFlags,
    input: { type: "string" },
    key: { type: "string" },
    follow: { type: "boolean" },
  });
  const [workflowId = ""] = takeArguments("workflows run <workflow>", positionals);
  const { input } = values;
  if (input !== undefined && (input === "" || input.length > MAX_WORKFLOW_INPUT_CHARS)) {
    throw new UsageError(
      `--input must have 1 to ${MAX_WORKFLOW_INPUT_CHARS} characters, got ${input.length}.`,
    );
  }
  const client = openClient(values);
  const execution = await client.workflows.execute({
    id: workflowId,
    body: input === undefined ? {} : { input },
    idempotencyKey: values.key,
  });
  const { run_id: runId, session_id: session, version } = execution;
  if (values.follow === true) {
    process.stderr.write(`Run ${runId}, session ${session}, version ${version}\n`);
    return await followToEnd(client, { runId, format: values.json === true ? "ndjson" : "text" });
  }
  if (values.json === true) printJson(execution);
  else printFields({ run: runId, session, version });
  return 0;
}
