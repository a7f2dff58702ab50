// agent-service workflows put, list, show: an operator writes and reads workflows, in the store itself. The API has
// no route for it yet.

import { readFile } from "node:fs/promises";
import type { WorkflowRecord } from "../service/operator.ts";
import { CommandError } from "./command-error.ts";
import { readFlags, readWholeNumber, takeArguments, UsageError } from "./flags.ts";
import { operate, storeFlags } from "./operate.ts";
import { printFields, printJson, printTable, printText } from "./print.ts";

const MAX_NAME_CHARS = 100;
const MAX_PROMPT_CHARS = 100_000;

/** Not safe to repeat: each time writes a version, or without `--id` another workflow. */
export async function putWorkflow(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, {
    ...storeFlags,
    name: { type: "string" },
    "prompt-file": { type: "string" },
    id: { type: "string" },
  });
  const [agentId = ""] = takeArguments("workflows put <agent>", positionals);
  const name = readName(values.name);
  const prompt = await readPrompt(values["prompt-file"]);
  const id = values.id ?? null;
  return await operate(values, async ({ operator }) => {
    const written = await operator.putWorkflow({ agentId, id, name, prompt });
    if (!written.ok && written.refusal.reason === "agent_not_found") {
      throw new CommandError(noAgentText(agentId, operator.place));
    }
    if (!written.ok) throw new CommandError(`Agent ${agentId} has no workflow "${id}" in ${operator.place}.`);
    const workflow = written.value;
    if (values.json === true) printJson(shown(workflow));
    else {
      printFields({
        id: workflow.id,
        name: workflow.name,
        version: workflow.version,
        active: activeText(workflow),
      });
      if (workflow.activeVersion !== workflow.version) {
        process.stderr.write(
          `The owner makes it the one that runs: agent-service workflows activate ${workflow.id}\n`,
        );
      }
    }
    return 0;
  });
}

export async function listWorkflows(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, storeFlags);
  const [agentId = ""] = takeArguments("workflows list <agent>", positionals);
  return await operate(values, async ({ operator }) => {
    const found = await operator.listWorkflows(agentId);
    if (found === null) throw new CommandError(noAgentText(agentId, operator.place));
    if (values.json === true) printJson(found.map(shown));
    else if (found.length === 0) {
      process.stderr.write('There are no workflows. "agent-service workflows put" writes one.\n');
    } else {
      const rows = found.map((one) => [one.id, one.name, String(one.version), activeText(one)]);
      printTable(["ID", "NAME", "NEWEST", "ACTIVE"], rows);
    }
    return 0;
  });
}

export async function showWorkflow(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, { ...storeFlags, version: { type: "string" } });
  const [id = ""] = takeArguments("workflows show <workflow>", positionals);
  const asked = readWholeNumber(values.version, { name: "--version", min: 1, max: Number.MAX_SAFE_INTEGER });
  return await operate(values, async ({ operator }) => {
    const found = await operator.findWorkflow({ id, version: asked ?? null });
    if (!found.ok && found.refusal.reason === "workflow_version_not_found") {
      throw new CommandError(`Workflow ${id} has no version ${found.refusal.version}.`);
    }
    if (!found.ok) {
      throw new CommandError(
        `There is no workflow "${id}" in ${operator.place}. "agent-service workflows list" shows those of an agent.`,
      );
    }
    const { workflow, version, prompt } = found.value;
    if (values.json === true) printJson({ ...shown(workflow), shown_version: version, prompt });
    else {
      printFields({
        id,
        name: workflow.name,
        agent: workflow.agentId,
        version: `${version} of ${workflow.version}`,
        active: activeText(workflow),
      });
      printText(`\n${prompt}`);
    }
    return 0;
  });
}

function readName(given: string | undefined): string {
  const name = (given ?? "").trim();
  if (given === undefined) throw new UsageError("--name is missing: what is the workflow to be called?");
  if (name.length >= 1 && name.length <= MAX_NAME_CHARS) return name;
  throw new UsageError(`--name must have 1 to ${MAX_NAME_CHARS} characters, got ${name.length}.`);
}

async function readPrompt(path: string | undefined): Promise<string> {
  if (path === undefined) throw new UsageError("--prompt-file is missing: the file that says what to do.");
  const prompt = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`--prompt-file "${path}" cannot be read (${cause.code}).`, { cause });
  });
  const { length } = prompt.trim();
  if (length >= 1 && length <= MAX_PROMPT_CHARS) return prompt.trim();
  throw new UsageError(`--prompt-file must hold 1 to ${MAX_PROMPT_CHARS} characters of text, got ${length}.`);
}

function noAgentText(agentId: string, place: string): string {
  return `There is no agent "${agentId}" in ${place}. "agent-service agents list" shows an account's.`;
}

function activeText({ activeVersion }: WorkflowRecord): string {
  return activeVersion === null ? "none" : `version ${activeVersion}`;
}

/** With the API's spelling. */
function shown(workflow: WorkflowRecord) {
  return {
    id: workflow.id,
    agent_id: workflow.agentId,
    name: workflow.name,
    version: workflow.version,
    active_version: workflow.activeVersion,
    created_at: new Date(workflow.createdAt).toISOString(),
    updated_at: new Date(workflow.updatedAt).toISOString(),
  };
}
