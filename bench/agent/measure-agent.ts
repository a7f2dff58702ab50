// The agent's benchmark: every task with every agent that is named. With a model in the environment it says what was solved,
// and what that cost; without one it plays scripted streams, and says what went over the wire.

import { codingAgents } from "../../src/contract/ci/coding-agents.ts";
import { listPrices } from "../../src/service/core/money/list-prices.ts";
import { providerOf } from "../../src/service/settings/model-providers.ts";
import { openModelServer } from "../model-service.ts";
import { buildEarlier } from "./earlier-build.ts";
import { type ModelPlace, playTask } from "./play-task.ts";
import { type NamedPlay, renderSolved, renderWire, renderWireBeside } from "./render-agent.ts";
import { scriptOf } from "./scripted-agent.ts";
import type { AgentTask } from "./task.ts";
import { foundToolchains } from "./task-checkout.ts";
import { tasks } from "./tasks.ts";

const SCRIPTED_MODEL = "scripted-model";
const KIND = { failing_test: "failing test", bug_report: "bug report", review: "review" } as const;

export type AgentOptions = {
  /** "built-in", or coding agents as `agent-service run --agent` names them. */
  readonly agents: readonly string[];
  /** Of the tasks; empty for all. */
  readonly tasks: readonly string[];
  /** A commit whose command plays the same beside that of the working tree, without a model. Null: none does. */
  readonly before?: string | null;
  /** MODEL, MODEL_BASE_URL, MODEL_API_KEY and what else the service reads of a model. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
};

export type AgentFigures = {
  /** Null without a model. */
  readonly solved: number | null;
  readonly played: number;
  readonly requests: number;
  readonly sentBytes: number;
  /** The largest first request. */
  readonly firstBytes: number;
  /** Tasks whose toolchain is missing here. */
  readonly skipped: readonly string[];
};

/** Prints a table for each agent. Rejects with RangeError for a task that does not exist. */
export async function measureAgent(options: AgentOptions): Promise<AgentFigures> {
  const { env, print, agents } = options;
  const { wanted, skipped } = await playableTasks(options.tasks);
  for (const name of skipped) print(`${name} is skipped: ${tasks[name]?.toolchain} is not installed here.\n`);
  const model =
    env.MODEL_BASE_URL === undefined || env.MODEL === undefined ? null : modelOf(env, env.MODEL_BASE_URL);
  const all: NamedPlay[] = [];
  const before = model !== null || options.before == null ? null : await buildEarlier(options.before);
  try {
    for (const agent of agents) {
      const plays: NamedPlay[] = [];
      const earlier: NamedPlay[] = [];
      for (const [name, task] of wanted) {
        const play = { name, kind: KIND[task.kind] };
        const played =
          model === null
            ? await playScripted(task, { agent })
            : await playTask({ task, agent, model, isScripted: false });
        if (played.fault !== null) print(`${name}: ${played.fault}\n`);
        plays.push({ ...play, played });
        if (before === null) continue;
        const { command } = before;
        earlier.push({ ...play, played: await playScripted(task, { agent, command }) });
      }
      print(`\n${titleOf(agent, model === null ? null : (env.MODEL ?? ""))}\n`);
      print(model === null ? renderWire(plays) : renderSolved(plays, listPrices(env.MODEL ?? "")));
      if (before !== null) {
        print(`\n${agent}, ${before.commit.slice(0, 8)} of ${before.date} → the working tree\n`);
        print(renderWireBeside(earlier, plays));
      }
      all.push(...plays);
    }
  } finally {
    await before?.remove();
  }
  const calls = all.flatMap(({ played }) => played.calls);
  return {
    solved: model === null ? null : all.filter(({ played }) => played.isSolved === true).length,
    played: all.length,
    requests: calls.length,
    sentBytes: calls.reduce((sum, { sentBytes }) => sum + sentBytes, 0),
    firstBytes: Math.max(0, ...all.map(({ played }) => played.calls[0]?.sentBytes ?? 0)),
    skipped,
  };
}

async function playableTasks(
  names: readonly string[],
): Promise<{ wanted: [string, AgentTask][]; skipped: string[] }> {
  const unknown = names.filter((name) => tasks[name] === undefined);
  if (unknown.length > 0) throw new RangeError(`There is no task ${unknown.join(", ")}.`);
  const found = await foundToolchains();
  const chosen = Object.entries(tasks).filter(([name]) => names.length === 0 || names.includes(name));
  const isThere = ({ toolchain }: AgentTask) => toolchain === null || found.has(toolchain);
  return {
    wanted: chosen.filter(([, task]) => isThere(task)),
    skipped: chosen.filter(([, task]) => !isThere(task)).map(([name]) => name),
  };
}

async function playScripted(
  task: AgentTask,
  { agent, command }: { readonly agent: string; readonly command?: string },
) {
  const server = await openModelServer(scriptOf(task));
  try {
    const wire = isCodingAgent(agent) ? codingAgents[agent].wires[0] : "openai-compatible";
    const baseUrl = wire === "gemini" ? `${server.url}/v1beta` : server.baseUrl;
    const env = { MODEL: SCRIPTED_MODEL, MODEL_PROVIDER: wire };
    const model = { baseUrl, env };
    return await playTask({
      task,
      agent,
      model,
      isScripted: true,
      ...(command === undefined ? {} : { command }),
    });
  } finally {
    await server.close();
  }
}

function isCodingAgent(name: string): name is keyof typeof codingAgents {
  return Object.hasOwn(codingAgents, name);
}

/** What the service reads of a model, and nothing else of the environment. */
function modelOf(env: AgentOptions["env"], baseUrl: string): ModelPlace {
  const ofModel = Object.entries(env).filter(([name]) =>
    /^(MODEL|FALLBACK_MODEL|ADVISOR_MODEL|REVIEWER_MODEL)(_|$)/.test(name),
  );
  // Told by the model's own address: the relay has another one.
  const provider = env.MODEL_PROVIDER ?? providerOf(baseUrl);
  return { baseUrl, env: { ...Object.fromEntries(ofModel), MODEL_PROVIDER: provider } };
}

function titleOf(agent: string, model: string | null): string {
  return model === null ? `${agent}, scripted model: what goes over the wire` : `${agent}, ${model}`;
}
