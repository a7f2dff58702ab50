// A coding agent in pods of a fake cluster: the service's worker is killed in the middle of its prompt, then its pod is evicted, then the API
// server goes away. The run completes each time, with the agent's own session.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../fakes/kubernetes/cluster.ts";
import { codingAgentBin } from "../../scripts/test-needs.ts";
import { codingAgents } from "../../src/contract/ci/coding-agents.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { CodingModel, codingMessage, codingModels } from "../support/durable/coding-model.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept } from "../support/durable/expect-played.ts";
import { untilKept } from "../support/durable/kept-entries.ts";
import { STORY_MODEL } from "../support/durable/played-story.ts";
import { CONTINUED, type Errand, heardBy, messageOf, releasePath } from "../support/durable/session-agent.ts";
import { postgresStore, sqliteStore } from "../support/stores/stores.ts";

const AGENT = fileURLToPath(new URL("../support/durable/session-agent.ts", import.meta.url));
const AWAY_MS = 2_500;

let folder: string;
let cluster: FakeCluster | null = null;
let service: DurableService | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agents-in-pods-"));
});
afterEach(async () => {
  await service?.close();
  await cluster?.close();
  service = null;
  cluster = null;
  await rm(folder, { recursive: true, force: true });
});

async function submit(to: DurableService, message: string): Promise<string> {
  return submitRunResponseSchema.parse((await to.job.submit({ message })).body).run_id;
}

/** The claims of runs at work. */
function claimsOf(pods: FakeCluster): readonly string[] {
  return pods.claims.values.map(({ metadata }) => metadata.name);
}

async function killWorkers({ nodes }: DurableService): Promise<void> {
  await Promise.all(nodes.map(({ role, process }) => (role === "api" ? null : process.kill())));
}

async function startWorkers(one: DurableService): Promise<void> {
  for (const node of one.nodes) if (node.role !== "api") await one.startAgain(node);
}

const losses = {
  worker: async (one: DurableService) => {
    await killWorkers(one);
    await startWorkers(one);
  },
  pod: async (_: DurableService, pods: FakeCluster) => {
    for (const claim of claimsOf(pods)) await pods.evict(claim);
  },
  server: async (_: DurableService, pods: FakeCluster) => {
    pods.goAway();
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
    pods.comeBack();
  },
} as const;
type Loss = keyof typeof losses;
/** A cut connection costs the run nothing but its agent's process: its worker has it still. */
const timesResumed: Readonly<Record<Loss, number>> = { worker: 1, pod: 1, server: 0 };

async function expectNothingLeft(one: DurableService, pods: FakeCluster): Promise<void> {
  await pods.settled();
  expect(claimsOf(pods)).toEqual([]);
  await expectNothingKept(one);
  expect(await one.leftFiles()).toEqual([]);
  expect(await one.leftProcesses()).toEqual([]);
}

for (const { store, roles } of [
  { store: sqliteStore, roles: ["all"] as const },
  { store: postgresStore, roles: ["api", "worker", "worker"] as const },
]) {
  describe(`a coding agent in pods of a service on ${store.name}`, {
    tags: [...store.tags, "sandbox"],
    timeout: 300_000,
  }, () => {
    it("goes on with its session after the loss of its worker, of its pod and of the API server", async () => {
      const pods = await FakeCluster.start({
        pods: "bubblewrap",
        image: [dirname(AGENT)],
        volumes: [folder],
      });
      cluster = pods;
      const one = await DurableService.start({
        store,
        roles,
        settings: {
          ...pods.environment,
          BACKEND: "acp",
          ACP_COMMAND: JSON.stringify(["node", AGENT]),
          ACP_ENV: JSON.stringify({
            ACP_HEARD: folder,
            AGENT_MODEL: STORY_MODEL,
            AGENT_MODEL_URL: "{model_url}",
            AGENT_MODEL_KEY: "{model_key}",
          }),
          ACP_KEEP_SECONDS: "1",
        },
      });
      service = one;
      const calmErrand: Errand = { run: "calm", way: "resumes", homeBytes: 0 };
      await writeFile(releasePath(folder, calmErrand), "");
      const calm = await expectCompleted(one, await submit(one, messageOf(calmErrand)));
      expect(calm.resumed).toEqual([]);
      for (const loss of ["worker", "pod", "server"] as const) {
        const errand: Errand = { run: `lost-${loss}`, way: "resumes", homeBytes: 0 };
        const heard = (what: string) => heardBy(folder, errand).filter((line) => line.what === what);
        const runId = await submit(one, messageOf(errand));
        await expect.poll(() => heard("deployed").length, { timeout: 120_000 }).toBe(1);
        await untilKept(one, runId);
        await losses[loss](one, pods);
        const played = await expectCompleted(one, runId);
        expect(played.patch, loss).toBe(calm.patch);
        expect(played.resumed, loss).toHaveLength(timesResumed[loss]);
        // The call that was begun is not made again, and its agent is told.
        expect(heard("deployed"), loss).toHaveLength(1);
        expect(heard("session/resume"), loss).toHaveLength(1);
        const last = JSON.stringify(heard("session/prompt").at(-1));
        expect(last, loss).toContain(CONTINUED);
        expect(last, loss).toContain(`deploy ${errand.run}`);
      }
      await expectNothingLeft(one, pods);
    });
  });
}

describe("Claude Code in pods", { tags: ["coding-agents", "sandbox"], timeout: 600_000 }, () => {
  it("completes its run though its worker, its pod and the API server are lost in turn", async () => {
    const model = await CodingModel.start();
    const bin = codingAgentBin("claude");
    const pods = await FakeCluster.start({
      pods: "bubblewrap",
      image: [dirname(dirname(dirname(bin)))],
      path: [dirname(bin)],
    });
    cluster = pods;
    const one = await DurableService.start({
      store: sqliteStore,
      models: Object.values(codingModels),
      settings: {
        ...pods.environment,
        BACKEND: "acp",
        ACP_AGENT: "claude",
        ACP_PERMISSIONS: "allow",
        ACP_KEEP_SECONDS: "1",
        MODEL: codingModels.anthropic,
        MODEL_PROVIDER: "anthropic",
        MODEL_BASE_URL: model.baseUrl("anthropic"),
      },
    });
    service = one;
    try {
      const calmErrand = { run: "calm", sleepsIn: 0 };
      const calm = await expectCompleted(one, await submit(one, codingMessage(calmErrand)));
      const errand = { run: "claude", sleepsIn: 0 };
      const held = [2, 3, 4];
      for (const step of held) model.hold(errand, step);
      const runId = await submit(one, codingMessage(errand));
      for (const [index, loss] of (["worker", "pod", "server"] as const).entries()) {
        const step = held[index];
        const isAsked = () => model.askedOf(errand).some((request) => request.step === step);
        await expect.poll(isAsked, { timeout: 200_000, interval: 200 }).toBe(true);
        await untilKept(one, runId);
        await losses[loss](one, pods);
      }
      const played = await expectCompleted(one, runId);
      const asked = model.askedOf(errand);
      const memories = asked
        .map(({ memory }) => memory)
        .filter((memory) => !["begins", "goes on"].includes(memory));
      process.stdout.write(
        `claude ${codingAgents.claude.version} in pods: its model saw ${memories.join(", ")}; requests for the steps ${asked
          .map(({ step }) => step)
          .join(
            " ",
          )}; $${played.grossMicroUsd / 1_000_000}, undisturbed $${calm.grossMicroUsd / 1_000_000}\n`,
      );
      expect(played.patch).toBe(calm.patch);
      expect(memories).toEqual(["session", "session", "session"]);
      expect(played.resumed).toHaveLength(2);
      await expectNothingLeft(one, pods);
    } finally {
      await model.close();
    }
  });
});
