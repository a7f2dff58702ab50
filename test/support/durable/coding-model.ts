// A scripted model for the coding agents that have a name, over the wire of each. Step N of an errand writes `part-N.txt`, by the
// agent's own tool for files or by a command. What comes next follows from the history that it is sent, or from what is told of it as
// text: an agent that has lost both begins anew.

import { join } from "node:path";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../../fakes/model-server/request.ts";
import { everyTime } from "../../../fakes/model-server/script.ts";
import { answer, call, type Part, type Step, say, stall } from "../../../fakes/model-server/turn.ts";
import type { CodingAgentWire } from "../../../src/contract/models/protocols.ts";
import { BEGUN_AGAIN, CONTINUED } from "./session-agent.ts";

/** What each wire's model is named: agents know some names. */
export const codingModels: Readonly<Record<CodingAgentWire, string>> = {
  anthropic: "claude-sonnet-5",
  "openai-compatible": "gpt-5.2",
  gemini: "gemini-3.1-pro-preview",
  copilot: "gpt-5.4",
};

export type CodingErrand = {
  /** No other run of the same model has it. */
  readonly run: string;
  /** The step whose command goes on for minutes where its file is not there yet. 0: none. */
  readonly sleepsIn: number;
};

export const STEPS = 5;
const UNKNOWN_CALLS = "These calls were begun";
const CHECKOUT = /\/[^\s"'\\<>`]*\/checkouts\/[\w.-]+\/tree\b/;

/** What the agent has of the work before, as its model sees it. */
export type AgentMemory = "begins" | "goes on" | "session" | "session without its history" | "text";

export type CodingRequest = {
  readonly step: number;
  readonly memory: AgentMemory;
  /** Who sent it. */
  readonly apiKey: string | null;
};

export function codingMessage({ run, sleepsIn }: CodingErrand): string {
  return `Write the parts of coding/${run}/${sleepsIn}/ one after the other, to its end.`;
}

/** All that the run changes. */
export function partOf(step: number): string {
  return `This is part ${step}.`;
}

export class CodingModel {
  readonly #asked = new Map<string, CodingRequest[]>();
  readonly #held = new Set<string>();
  #beside = 0;
  #server: ModelServer | null = null;

  static async start(): Promise<CodingModel> {
    const model = new CodingModel();
    model.#server = await startModelServer({
      script: everyTime((request) => model.#answer(request)),
      models: Object.values(codingModels),
      conversation: () => "all",
      keepsRequests: false,
    });
    return model;
  }

  /** Of the wire's API, with its version. */
  baseUrl(wire: CodingAgentWire): string {
    if (this.#server === null) throw new Error("The model was not started.");
    return wire === "gemini" ? `${this.#server.url}/v1beta` : this.#server.baseUrl;
  }

  /** The requests of one run that offer tools, in the order of arrival. */
  askedOf({ run }: CodingErrand): readonly CodingRequest[] {
    return this.#asked.get(run) ?? [];
  }

  /** Requests without a tool, such as those for a title. */
  get besideCount(): number {
    return this.#beside;
  }

  /** No byte of the answer to the next request for this step is sent. */
  hold({ run }: CodingErrand, step: number): void {
    this.#held.add(`${run} ${step}`);
  }

  /** Rejects where an agent sent a history that the API refuses. */
  async close(): Promise<void> {
    await this.#server?.close();
  }

  #answer(request: ModelRequest): Step {
    const errand = errandIn(request);
    if (errand === null || request.tools.length === 0) {
      this.#beside += 1;
      return say("Parts");
    }
    const step = nextStep(request);
    const asked = this.#asked.get(errand.run) ?? [];
    this.#asked.set(errand.run, asked);
    asked.push({ step, memory: memoryIn(request), apiKey: request.apiKey });
    const parts = answer(partsOf(request, { step, errand }), { usage: { input: 1_000, output: 50 } });
    const key = `${errand.run} ${step}`;
    return this.#held.delete(key) ? stall(undefined, parts) : parts;
  }
}

function errandIn({ messages }: ModelRequest): CodingErrand | null {
  const said = messages.map((message) => (message.role === "user" ? message.text : "")).join("\n");
  const found = /coding\/([\w-]+)\/(\d+)\//.exec(said);
  return found === null ? null : { run: found[1] ?? "", sleepsIn: Number(found[2]) };
}

/** A call whose result is not known is made again: its command looks whether it was made. */
function nextStep({ messages }: ModelRequest): number {
  const told = messages.map((message) => {
    if (message.role === "user") return message.text;
    return message.role === "assistant" ? JSON.stringify(message.calls.map(({ input }) => input)) : "";
  });
  const last = lastStep(told.join("\n"));
  const newest = messages.at(-1);
  const unknown = newest?.role === "user" ? (newest.text.split(UNKNOWN_CALLS)[1] ?? "") : "";
  return lastStep(unknown.split("\n\n")[0] ?? "") === last && last > 0 ? last : last + 1;
}

function lastStep(text: string): number {
  return Math.max(0, ...[...text.matchAll(/part-(\d+)\.txt/g)].map(([, step]) => Number(step)));
}

function memoryIn({ messages, assistantTurns, lastUserMessage }: ModelRequest): AgentMemory {
  if (messages.at(-1)?.role !== "user") return "goes on";
  if (lastUserMessage.includes(BEGUN_AGAIN)) return "text";
  if (!lastUserMessage.includes(CONTINUED)) return assistantTurns === 0 ? "begins" : "goes on";
  return assistantTurns === 0 ? "session without its history" : "session";
}

function partsOf(
  request: ModelRequest,
  { step, errand }: { readonly step: number; readonly errand: CodingErrand },
): readonly Part[] {
  if (step > STEPS) return [say("It is the end.")];
  const sleeps = step === errand.sleepsIn;
  const made = sleeps || step % 2 === 0 ? null : fileCall(request, step);
  return [say(`Step ${step}.`), made ?? commandCall(request, commandOf(step, sleeps))];
}

function commandOf(step: number, sleeps: boolean): string {
  const name = `part-${step}.txt`;
  const write = `echo '${partOf(step)}' > ${name}`;
  return sleeps ? `test -e ${name} || { ${write}; sleep 100; }` : write;
}

/** By the agent's own tool. Null where it has none for files alone. */
function fileCall({ tools, body }: ModelRequest, step: number): Part | null {
  const offered = new Set(tools.map(({ name }) => name));
  const root = CHECKOUT.exec(JSON.stringify(body))?.[0] ?? "/";
  const path = join(root, `part-${step}.txt`);
  const content = `${partOf(step)}\n`;
  if (offered.has("exec_command")) return null;
  if (offered.has("Write")) return call("Write", { file_path: path, content });
  if (offered.has("create")) return call("create", { path, file_text: content });
  if (offered.has("write_file")) return call("write_file", { file_path: path, content });
  if (offered.has("write")) return call("write", { filePath: path, content });
  const patchText = `*** Begin Patch\n*** Add File: part-${step}.txt\n+${partOf(step)}\n*** End Patch`;
  return offered.has("apply_patch") ? call("apply_patch", { patchText }) : null;
}

function commandCall({ tools }: ModelRequest, command: string): Part {
  const offered = new Set(tools.map(({ name }) => name));
  const description = "Write a part";
  if (offered.has("exec_command")) return call("exec_command", { cmd: command, yield_time_ms: 30_000 });
  const tool = ["Bash", "run_shell_command", "bash"].find((name) => offered.has(name)) ?? "";
  return call(tool, { command, description });
}
