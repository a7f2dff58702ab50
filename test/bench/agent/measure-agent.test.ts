// The agent's benchmark end to end: the built command plays tasks. What it says without a model, and with one.

import { afterEach, describe, expect, it } from "vitest";
import { type AgentFigures, measureAgent } from "../../../bench/agent/measure-agent.ts";
import { scriptOf } from "../../../bench/agent/scripted-agent.ts";
import type { AgentTask } from "../../../bench/agent/task.ts";
import { tasks } from "../../../bench/agent/tasks.ts";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import type { Script } from "../../../fakes/model-server/script.ts";
import { answer, say } from "../../../fakes/model-server/turn.ts";

const NAMES = ["last-page", "review-session"];

describe("the benchmark of the agent", () => {
  let server: ModelServer | null = null;
  afterEach(async () => {
    await server?.close();
    server = null;
  });

  async function measure(
    env: Readonly<Record<string, string>>,
    agents = ["built-in"],
  ): Promise<{ figures: AgentFigures; printed: string }> {
    let printed = "";
    const print = (text: string) => {
      printed += text;
    };
    return { figures: await measureAgent({ agents, tasks: NAMES, env, print }), printed };
  }

  /** Both conversations of one model's server, told apart by what is asked. */
  async function modelOf(script: (task: AgentTask) => Script): Promise<Record<string, string>> {
    const played = NAMES.flatMap((name) => tasks[name] ?? []);
    server = await startModelServer({
      apiKey: "sk-of-the-benchmark",
      script: (opening) => {
        const task = played.find(({ prompt }) => opening.firstUserMessage.includes(prompt));
        const steps = task === undefined ? undefined : script(task);
        return typeof steps === "function" ? steps(opening) : steps;
      },
    });
    return {
      MODEL: "gpt-5",
      MODEL_BASE_URL: server.baseUrl,
      MODEL_API_KEY: "sk-of-the-benchmark",
      OTHER: "kept",
    };
  }

  it("says without a model what goes over the wire, and never that a task is solved", async () => {
    const { figures, printed } = await measure({});
    expect(figures).toMatchObject({ solved: null, played: 2, skipped: [] });
    expect(printed).toMatch(
      /^task +kind +requests +first request +sent +of it again +answered +tools called +tool errors$/m,
    );
    expect(printed).toMatch(/^last-page +bug report +[5-7] +[\d,]+ B +[\d,]+ B +\d+% +[\d,]+ B +\d+ +0$/m);
    expect(printed).toMatch(/^in sum +2 tasks +/m);
    expect(printed).not.toMatch(/solved/i);
    expect(printed).not.toMatch(/\$/);
  }, 60_000);

  it("refuses to play beside a commit that is not there", async () => {
    const measured = measureAgent({
      agents: ["built-in"],
      tasks: NAMES,
      before: "no-such-commit",
      env: {},
      print: () => {},
    });
    await expect(measured).rejects.toThrow('There is no commit "no-such-commit" here.');
  });

  it("says with a model what was solved, by what the hidden checks say", async () => {
    const { figures, printed } = await measure(await modelOf(scriptOf));
    expect(figures).toMatchObject({ solved: 2, played: 2 });
    expect(printed).toMatch(/^task +kind +solved +turns +tokens +cached +cost +tool errors +time$/m);
    expect(printed).toMatch(
      /^last-page +bug report +solved +[5-7] +[\d,]+ +\d+% +\$0\.\d{4} +0 +\d+\.\d s$/m,
    );
    expect(printed).toMatch(/^in sum +2 tasks +2 solved/m);
    expect(server?.requests.every(({ apiKey }) => apiKey === "sk-of-the-benchmark")).toBe(true);
  }, 60_000);

  it("takes no word of an agent for it", async () => {
    const lazy: Script = [answer([say('{"summary":"All solved.","findings":[]}')])];
    const { figures, printed } = await measure(await modelOf(() => lazy));
    expect(figures).toMatchObject({ solved: 0, played: 2 });
    expect(printed).toMatch(/^last-page +bug report +no \(success\)/m);
    expect(printed).toMatch(/^in sum +2 tasks +0 solved/m);
  }, 60_000);

  it("names an agent that is not installed", async () => {
    const { figures, printed } = await measure({}, ["gemini"]);
    expect(figures).toMatchObject({ solved: null, played: 2, requests: 0 });
    expect(printed).toMatch(/^last-page: .*is not installed/m);
  }, 60_000);

  it("refuses a task that does not exist", async () => {
    const options = { agents: ["built-in"], tasks: ["nonsense"], env: {}, print: () => {} };
    await expect(measureAgent(options)).rejects.toThrow("There is no task nonsense.");
  });
});
