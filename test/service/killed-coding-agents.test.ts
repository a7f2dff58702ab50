// The coding agents that have a name, as npm has them, in a service that is killed and stopped in the middle of their prompts: each
// run completes, by the agent's own session or by the text of what is known, as the table below says. `CODING_AGENTS=<folder> npm run
// test:long -- killed-coding-agents`, with each installed by `npm install --prefix <folder>/<name> <package>@<version>`. It also prints
// what was seen.
// What agents may do beside: taken-up-agents.test.ts.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codingAgentBin } from "../../scripts/test-needs.ts";
import { type CodingAgentName, codingAgentNames, codingAgents } from "../../src/contract/ci/coding-agents.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import type { Role } from "../../src/service/settings/service-settings.ts";
import { AgentTrace } from "../support/durable/agent-trace.ts";
import {
  type CodingErrand,
  CodingModel,
  codingMessage,
  codingModels,
  partOf,
  STEPS,
} from "../support/durable/coding-model.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept } from "../support/durable/expect-played.ts";
import { untilKept } from "../support/durable/kept-entries.ts";
import { NODE } from "../support/fixtures/service-process.ts";
import { postgresStore, type StoreKind, sqliteStore } from "../support/stores/stores.ts";

const TIMEOUT_MS = 600_000;
/** Its request to the model is held. */
const HELD_STEP = 3;
/** Its command goes on for minutes. */
const SLEEPING_STEP = 4;

/** More than one request is reserved: 100,000 tokens of input, and the longest answer. */
const MOST_OF_A_REQUEST_MICRO_USD = 1_000_000;

/** How the next process gets at the work: by `session/resume`, by `session/load`, or told as text in a new session. */
type Back = "resumed" | "loaded" | "text";
const LOST_TO_ANOTHER = "killed, and another worker goes on";
type Loss = "killed" | "stopped" | typeof LOST_TO_ANOTHER;

/** What was seen of the versions in coding-agents.ts; docs/self-hosting/acp.md has the reasons. */
const comesBack: Readonly<Record<CodingAgentName, Readonly<Record<Loss, Back>>>> = {
  claude: { killed: "resumed", stopped: "resumed", [LOST_TO_ANOTHER]: "text" },
  codex: { killed: "resumed", stopped: "resumed", [LOST_TO_ANOTHER]: "text" },
  copilot: { killed: "loaded", stopped: "loaded", [LOST_TO_ANOTHER]: "text" },
  gemini: { killed: "text", stopped: "text", [LOST_TO_ANOTHER]: "text" },
  opencode: { killed: "resumed", stopped: "resumed", [LOST_TO_ANOTHER]: "text" },
};
/** What its last process was asked. */
const openingsOf: Readonly<Record<Back, readonly string[]>> = {
  resumed: ["session/resume", "session/prompt"],
  loaded: ["session/load", "session/prompt"],
  text: ["session/new", "session/prompt"],
};

type Node = DurableService["nodes"][number];

type Play = {
  readonly agent: CodingAgentName;
  readonly store: StoreKind;
  readonly sandbox: "off" | "bubblewrap";
  /** One process unless told. */
  readonly roles?: readonly Role[];
  readonly end: "SIGKILL" | "SIGTERM";
};

describe("a coding agent of npm", { tags: ["long", "coding-agents"], timeout: TIMEOUT_MS }, () => {
  let folder: string;
  let model: CodingModel;
  let service: DurableService | null = null;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "killed-coding-agents-"));
    model = await CodingModel.start();
  });
  afterEach(async () => {
    await service?.close();
    service = null;
    await rm(folder, { recursive: true, force: true });
    await model.close();
  });

  const play = async ({ agent, store, sandbox, roles = ["all"], end }: Play): Promise<void> => {
    const [first, second = first] = codingAgents[agent].wires;
    const wire = first === "copilot" ? second : first;
    const real = codingAgentBin(agent);
    const trace =
      sandbox === "off" ? new AgentTrace(folder, { program: codingAgents[agent].program, real }) : null;
    const bin = trace?.bin ?? dirname(real);
    const one = await DurableService.start({
      store,
      roles,
      models: Object.values(codingModels),
      settings: {
        BACKEND: "acp",
        ACP_AGENT: agent,
        ACP_PERMISSIONS: "allow",
        ACP_KEEP_SECONDS: "1",
        DRAIN_SECONDS: "1",
        SANDBOX: sandbox,
        MODEL: codingModels[wire],
        MODEL_PROVIDER: wire === "gemini" ? "google" : wire,
        MODEL_BASE_URL: model.baseUrl(wire),
        PATH: `${bin}:${dirname(NODE)}:${process.env.PATH}`,
      },
    });
    service = one;
    const calmErrand = { run: "calm", sleepsIn: 0 };
    const calm = await expectCompleted(one, await submit(one, calmErrand));
    const begun = Date.now();
    const errand = { run: agent, sleepsIn: end === "SIGKILL" ? SLEEPING_STEP : 0 };
    model.hold(errand, HELD_STEP);
    const runId = await submit(one, errand);
    await untilAsked(errand, { runId, step: HELD_STEP, one, trace });
    await untilKept(one, runId);
    if (end === "SIGTERM") {
      await one.stop(worker(errand, one));
      await one.startAgain(worker(errand, one));
    } else {
      const first = await killWorker(errand, one);
      await untilAsked(errand, { runId, step: SLEEPING_STEP, one, trace });
      await startOthers(first, one);
      await untilKept(one, runId);
      const second = await killWorker(errand, one);
      await one.job.ended(runId);
      await startOthers(second, one);
    }

    const { patch, resumed, grossMicroUsd } = await expectCompleted(one, runId);
    const stepsOf = (of: CodingErrand) =>
      model
        .askedOf(of)
        .map(({ step }) => step)
        .join(" ");
    const asked = model.askedOf(errand);
    const memories = asked
      .map(({ memory }) => memory)
      .filter((memory) => !["begins", "goes on"].includes(memory));
    const how = `${agent} ${codingAgents[agent].version}, ${store.name}, ${roles.join("+")}, sandbox ${sandbox}, ${end}`;
    const line = [
      `${how}: ${Math.round((Date.now() - begun) / 1_000)} s`,
      `opened by ${JSON.stringify(trace?.openings)}`,
      `executed by ${[...new Set(asked.map(({ apiKey }) => apiKey))].join(", ")}`,
      `its model saw ${memories.join(", ")}`,
      `requests for the steps ${stepsOf(errand)}, undisturbed ${stepsOf(calmErrand)}`,
      `${model.besideCount} beside`,
      `$${grossMicroUsd / 1_000_000}, undisturbed $${calm.grossMicroUsd / 1_000_000}`,
      `resumed ${JSON.stringify(resumed)}`,
    ];
    process.stdout.write(`${line.join("; ")}\n`);
    const losses = end === "SIGKILL" ? 2 : 1;
    const loss = end === "SIGTERM" ? "stopped" : roles.length > 1 ? LOST_TO_ANOTHER : "killed";
    const back = comesBack[agent][loss];
    expect(resumed.map(({ after }) => after)).toEqual(
      Array(losses).fill(end === "SIGKILL" ? "lost_worker" : "handover"),
    );
    expect(memories).toEqual(Array(losses).fill(back === "text" ? "text" : "session"));
    if (trace !== null) expect(trace.openings.slice(-1)).toEqual([openingsOf[back]]);
    for (const [index, { memory, apiKey }] of asked.entries()) {
      const isNext = ["session", "text"].includes(memory);
      const goesOnElsewhere = isNext && roles.length > 1;
      if (index > 0) expect(apiKey !== asked[index - 1]?.apiKey).toBe(goesOnElsewhere);
    }
    expect(asked.length).toBeLessThanOrEqual(model.askedOf(calmErrand).length + losses);
    expect(grossMicroUsd).toBeGreaterThanOrEqual(calm.grossMicroUsd);
    expect(grossMicroUsd).toBeLessThanOrEqual(calm.grossMicroUsd + losses * MOST_OF_A_REQUEST_MICRO_USD);
    const added = calm.patch.split("\n").filter((text) => text.startsWith("+") && !text.startsWith("+++"));
    expect(added).toEqual(Array.from({ length: STEPS }, (_, index) => `+${partOf(index + 1)}`));
    expect(patch).toBe(calm.patch);
    await expectNothingKept(one);
    expect(await one.leftFiles()).toEqual([]);
    expect(await one.leftProcesses()).toEqual([]);
  };

  const untilAsked = async (
    errand: CodingErrand,
    {
      runId,
      step,
      one,
      trace,
    }: {
      readonly runId: string;
      readonly step: number;
      readonly one: DurableService;
      readonly trace: AgentTrace | null;
    },
  ): Promise<void> => {
    const isThere = async () => {
      if (model.askedOf(errand).some((request) => request.step === step)) return true;
      const run = await one.job.run(runId);
      if (run.status !== "running" && run.status !== "queued")
        throw new Error(`The run ended before step ${step}: ${JSON.stringify(run)}`);
      return false;
    };
    try {
      await expect.poll(isThere, { timeout: 200_000, interval: 200 }).toBe(true);
    } catch (cause) {
      const seen = [`opened by ${JSON.stringify(trace?.openings)}`, JSON.stringify(model.askedOf(errand))];
      throw new Error(`Its model was not asked for step ${step}: ${seen.join("; ")}`, { cause });
    }
  };

  const worker = (errand: CodingErrand, one: DurableService) =>
    one.nodeWith(model.askedOf(errand).at(-1)?.apiKey ?? null);

  /** Where there is another worker, it stays away: the other one has to take the run. */
  const killWorker = async (errand: CodingErrand, one: DurableService): Promise<Node> => {
    const node = worker(errand, one);
    await node.process.kill();
    if (one.nodes.length === 1) await one.startAgain(node);
    return node;
  };

  const startOthers = async (node: Node, one: DurableService): Promise<void> => {
    if (one.nodes.length > 1) await one.startAgain(node);
  };

  for (const agent of codingAgentNames) {
    describe(agent, () => {
      it("completes its run though the service is killed twice", async () => {
        await play({ agent, store: sqliteStore, sandbox: "off", end: "SIGKILL" });
      });

      it("completes its run though the service is stopped", async () => {
        await play({ agent, store: sqliteStore, sandbox: "off", end: "SIGTERM" });
      });

      it("does so in bubblewrap", { tags: ["sandbox"] }, async () => {
        await play({ agent, store: sqliteStore, sandbox: "bubblewrap", end: "SIGKILL" });
      });

      it("does so with PostgreSQL", { tags: ["postgres"] }, async () => {
        await play({ agent, store: postgresStore, sandbox: "off", end: "SIGKILL" });
      });

      it("does so on another worker, whose folders are others", { tags: ["postgres"] }, async () => {
        const roles = ["api", "worker", "worker"] as const;
        await play({ agent, store: postgresStore, sandbox: "off", roles, end: "SIGKILL" });
      });
    });
  }
});

async function submit(service: DurableService, errand: CodingErrand): Promise<string> {
  const answer = await service.job.submit({ message: codingMessage(errand) });
  return submitRunResponseSchema.parse(answer.body).run_id;
}
