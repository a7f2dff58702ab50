// agent-service workflows: an owner activates and executes them, over the API. The operator writes and reads them, in
// the store itself: the API has no route for that yet.

import { readFile } from "node:fs/promises";
import { integer, text } from "../base/settings/kinds.ts";
import { kind } from "../base/settings/setting.ts";
import { MAX_WORKFLOW_INPUT_CHARS } from "../contract/workflows.ts";
import type { WorkflowRecord } from "../service/operator/operator.ts";
import { openClient, serviceFlags } from "./account.ts";
import { agentArgument, findStoredAgentId } from "./agent-name.ts";
import { type CommandGroup, command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument, requiredFlag, UsageError, valueFlag } from "./flags.ts";
import { followToEnd } from "./follow.ts";
import { operate, storeFlags } from "./operate.ts";
import { printFields, printJson, printTable, printText } from "./print.ts";
import { followFlag, keyFlag } from "./runs.ts";

const MAX_NAME_CHARS = 100;
const MAX_PROMPT_CHARS = 100_000;

const workflowArgument = argument(anyText, "The workflow's id.");
const versionFlag = valueFlag({
  kind: integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  fallback: null,
  takes: "<n>",
  description: "A version.",
  shownDefault: "the newest",
});
const workflowName = kind(`text of at most ${MAX_NAME_CHARS} characters`, (text) =>
  text.length <= MAX_NAME_CHARS ? text : undefined,
);
const workflowInput = kind(`1 to ${MAX_WORKFLOW_INPUT_CHARS} characters`, (text) =>
  text.length <= MAX_WORKFLOW_INPUT_CHARS ? text : undefined,
);

const put = command({
  summary: "Write a workflow (operator). Each time writes a version, or without --id another workflow.",
  arguments: { agent: agentArgument },
  flags: {
    ...storeFlags,
    name: requiredFlag({
      kind: workflowName,
      takes: "<text>",
      description: "The workflow's name.",
    }),
    "prompt-file": requiredFlag({
      kind: text("a file"),
      takes: "<file>",
      description: "A file with what the agent is asked.",
    }),
    id: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<workflow>",
      description: "The workflow that gets a further version.",
      shownDefault: "a new workflow",
    }),
  },
  examples: ["workflows put <agent> --name triage --prompt-file triage.md"],
  run: async ({ arguments: { agent }, flags }) => {
    const prompt = await readPrompt(flags["prompt-file"]);
    const { id, name } = flags;
    return await operate(flags, async ({ operator }) => {
      const agentId = await findStoredAgentId(operator, agent);
      const written = await operator.putWorkflow({ agentId, id, name, prompt });
      if (!written.ok && written.refusal.reason === "agent_not_found") {
        throw new CommandError(noAgentText(agentId, operator.place));
      }
      if (!written.ok)
        throw new CommandError(`Agent ${agentId} has no workflow "${id}" in ${operator.place}.`);
      const workflow = written.value;
      if (flags.json) printJson(shown(workflow));
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
  },
});

const list = command({
  summary: "List the workflows of an agent (operator).",
  arguments: { agent: agentArgument },
  flags: storeFlags,
  examples: ["workflows list <agent>"],
  run: async ({ arguments: { agent }, flags }) =>
    await operate(flags, async ({ operator }) => {
      const agentId = await findStoredAgentId(operator, agent);
      const found = await operator.listWorkflows(agentId);
      if (found === null) throw new CommandError(noAgentText(agentId, operator.place));
      if (flags.json) printJson(found.map(shown));
      else if (found.length === 0) {
        process.stderr.write('There are no workflows. "agent-service workflows put" writes one.\n');
      } else {
        const rows = found.map((one) => [one.id, one.name, String(one.version), activeText(one)]);
        printTable(["ID", "NAME", "NEWEST", "ACTIVE"], rows);
      }
      return 0;
    }),
});

const show = command({
  summary: "Show a workflow with its prompt (operator).",
  arguments: { workflow: workflowArgument },
  flags: { ...storeFlags, version: versionFlag },
  examples: ["workflows show <workflow> --version 1"],
  run: async ({ arguments: { workflow: id }, flags }) =>
    await operate(flags, async ({ operator }) => {
      const found = await operator.findWorkflow({ id, version: flags.version });
      if (!found.ok && found.refusal.reason === "workflow_version_not_found") {
        throw new CommandError(`Workflow ${id} has no version ${found.refusal.version}.`);
      }
      if (!found.ok) {
        throw new CommandError(
          `There is no workflow "${id}" in ${operator.place}. "agent-service workflows list" shows those of an agent.`,
        );
      }
      const { workflow, version, prompt } = found.value;
      if (flags.json) printJson({ ...shown(workflow), shown_version: version, prompt });
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
    }),
});

const activate = command({
  summary: "Choose the version of a workflow that runs.",
  arguments: { workflow: workflowArgument },
  flags: { ...serviceFlags, version: versionFlag },
  examples: ["workflows activate <workflow>", "workflows activate <workflow> --version 2"],
  run: async ({ arguments: { workflow: workflowId }, flags }) => {
    const body = flags.version === null ? {} : { version: flags.version };
    const activated = await openClient(flags).workflows.activate({ id: workflowId, body });
    if (flags.json) printJson(activated);
    else {
      const active = `version ${activated.active_version}`;
      printFields({ id: activated.id, name: activated.name, active });
    }
    return 0;
  },
});

const run = command({
  summary: "Execute a workflow: one run.",
  arguments: { workflow: workflowArgument },
  flags: {
    ...serviceFlags,
    input: valueFlag({
      kind: workflowInput,
      fallback: null,
      takes: "<text>",
      description: "What the workflow works on this time.",
    }),
    key: keyFlag,
    follow: followFlag,
  },
  examples: ['workflows run <workflow> --input "Issue 7" --follow'],
  run: async ({ arguments: { workflow: workflowId }, flags }) => {
    const client = openClient(flags);
    const execution = await client.workflows.execute({
      id: workflowId,
      body: flags.input === null ? {} : { input: flags.input },
      idempotencyKey: flags.key ?? undefined,
    });
    const { run_id: runId, session_id: session, version } = execution;
    if (flags.follow) {
      process.stderr.write(`Run ${runId}, session ${session}, version ${version}\n`);
      return await followToEnd(client, { runId, format: flags.json ? "ndjson" : "text" });
    }
    if (flags.json) printJson(execution);
    else printFields({ run: runId, session, version });
    return 0;
  },
});

export const workflows: CommandGroup = {
  summary: "Workflows: prompts that an agent runs by name, in versions.",
  commands: { put, list, show, activate, run },
};

async function readPrompt(path: string): Promise<string> {
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
