// Plays one task with one agent: the built command on a checkout of its own, its model behind a relay that counts.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProcess } from "../../src/base/run-process.ts";
import { singleLine } from "../../src/base/untrusted-text.ts";
import { findingsSchema } from "../../src/job/findings/findings-schema.ts";
import { isFailedResult } from "../../src/report/tool-failure.ts";
import { checkReview } from "./check-review.ts";
import type { AgentTask } from "./task.ts";
import { checkOutTask, passesCheck, type TaskCheckout } from "./task-checkout.ts";
import { startWireRelay, type WireCall } from "./wire-relay.ts";

const BUILT_COMMAND = join(import.meta.dirname, "../../npm/cli.mjs");
const TASK_MS = 1_800_000;
const MAX_FAULT_CHARS = 500;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Where the model is, as the environment of the command says it. */
export type ModelPlace = {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type Played = {
  readonly calls: readonly WireCall[];
  readonly toolCalls: readonly string[];
  readonly toolErrors: number;
  readonly ms: number;
  /** Null where the command ended without a result. */
  readonly conclusion: string | null;
  /** Why there was no run, or none that asked a model; null where there was one. */
  readonly fault: string | null;
  /** Null for a scripted model, which solves nothing. */
  readonly isSolved: boolean | null;
};

export type PlayOptions = {
  readonly task: AgentTask;
  readonly model: ModelPlace;
  /** "built-in", or a coding agent as `--agent` names it. */
  readonly agent: string;
  readonly isScripted: boolean;
  /** The path of the command. Default: as it is built here. */
  readonly command?: string;
};

export async function playTask(options: PlayOptions): Promise<Played> {
  const { task, model, agent, isScripted, command = BUILT_COMMAND } = options;
  const checkout = await checkOutTask(task);
  const relay = await startWireRelay(model.baseUrl);
  try {
    const startedAt = performance.now();
    const said = await execute({
      task,
      agent,
      command,
      checkout,
      env: { ...model.env, MODEL_BASE_URL: relay.baseUrl },
    });
    const ms = performance.now() - startedAt;
    return {
      calls: [...relay.calls],
      ...(await readEvents(checkout)),
      ms,
      conclusion: await readConclusion(checkout),
      fault: relay.calls.length > 0 ? null : singleLine(said, MAX_FAULT_CHARS),
      isSolved: isScripted ? null : await isSolved(task, checkout),
    };
  } finally {
    await relay.close();
    await checkout.remove();
  }
}

/** Resolves with the last that the command said. */
async function execute(run: {
  task: AgentTask;
  agent: string;
  command: string;
  checkout: TaskCheckout;
  env: ModelPlace["env"];
}): Promise<string> {
  const { task, agent, command, checkout, env } = run;
  const { root, scratch } = checkout;
  const schema = join(scratch, "schema.json");
  await writeFile(schema, JSON.stringify(findingsSchema));
  const ended = await runProcess({
    command: process.execPath,
    args: [
      command,
      "run",
      "--embedded",
      "--output-dir",
      join(scratch, "output"),
      ...(agent === "built-in" ? [] : ["--agent", agent]),
      ...(task.kind === "review" ? ["--output-schema", schema] : []),
      task.prompt,
    ],
    folder: root,
    env: { PATH: process.env.PATH, HOME: scratch, LANG: "C.UTF-8", ...env },
    timeoutMs: TASK_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  return `${ended.stdout.toString("utf8").slice(-MAX_FAULT_CHARS)} ${ended.stderr}`;
}

async function isSolved(task: AgentTask, checkout: TaskCheckout): Promise<boolean> {
  if (task.kind !== "review") return await passesCheck(task, checkout);
  return checkReview(task, await readJson(checkout, "output.json")).isSolved;
}

async function readConclusion(checkout: TaskCheckout): Promise<string | null> {
  const result = await readJson(checkout, "result.json");
  const { conclusion = null } = (result ?? {}) as { conclusion?: string };
  return conclusion;
}

type ToolEvent = { type: string; toolCallId?: string; toolCallName?: string; content?: string };

async function readEvents(checkout: TaskCheckout): Promise<Pick<Played, "toolCalls" | "toolErrors">> {
  const lines = (await readOutput(checkout, "events.ndjson")).split("\n").filter((line) => line !== "");
  const names = new Map<string, string>();
  let toolErrors = 0;
  for (const line of lines) {
    const { event } = JSON.parse(line) as { event: ToolEvent };
    const { type, toolCallId = "", toolCallName = "", content = "" } = event;
    if (type === "TOOL_CALL_START") names.set(toolCallId, toolCallName);
    if (type === "TOOL_CALL_RESULT" && isFailedResult(names.get(toolCallId) ?? "", content)) toolErrors += 1;
  }
  return { toolCalls: [...names.values()], toolErrors };
}

async function readJson(checkout: TaskCheckout, name: string): Promise<unknown> {
  const text = await readOutput(checkout, name);
  return text === "" ? null : JSON.parse(text);
}

async function readOutput({ scratch }: TaskCheckout, name: string): Promise<string> {
  return await readFile(join(scratch, "output", name), "utf8").catch(() => "");
}
