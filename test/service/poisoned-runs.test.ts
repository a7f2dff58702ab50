// A run that loses one worker after the other ends, and what it had changed by its last entry is kept: the worker after the fifth loss
// reports it, and executes nothing of the agent.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import type { WrittenEvent } from "../../src/contract/runs/run-event.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectNothingKept, patchIn } from "../support/durable/expect-played.ts";
import { STORY_MODEL, type Story } from "../support/durable/played-story.ts";
import { type Errand, heardBy, messageOf } from "../support/durable/session-agent.ts";
import { NODE } from "../support/fixtures/service-process.ts";
import { call } from "../support/service-client.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { sqliteStore } from "../support/stores/stores.ts";

const AGENT = fileURLToPath(new URL("../support/durable/session-agent.ts", import.meta.url));
/** After which a run does not go on. */
const LOSSES = 5;
/** In this one each worker is lost; the one before it writes a file. */
const LOST_TURN = 2;
const BRINGING_BACK = /git .*read-tree --reset -u/;
const KEPT = "The run ended after five lost workers in a row; what it had changed is kept.";
const NOT_KEPT = "The run ended after five lost workers in a row; nothing that it had changed is kept.";

function storyOf(run: string): Story {
  return { name: "alpha", run, turns: 3, noteEvery: 0 };
}

type Lost = { readonly runId: string; readonly node: DurableService["nodes"][number] };

/** Has each request for `turn` held, and the worker killed that has sent it. Resolves once the last one is gone. */
async function loseWorkers(
  service: DurableService,
  { story, turn, submit }: { story: Story; turn: number; submit: () => Promise<string> },
): Promise<Lost> {
  const { model } = service;
  const place = { turn, place: "unanswered" } as const;
  let hold = model.hold(story, place);
  const runId = await submit();
  for (let loss = 1; ; loss += 1) {
    await hold.reached;
    const node = service.nodeWith(model.askedOf(story).at(-1)?.apiKey ?? null);
    const { release } = hold;
    if (loss < LOSSES) hold = model.hold(story, place);
    await node.process.kill();
    release();
    if (loss === LOSSES) return { runId, node };
    await service.startAgain(node);
  }
}

async function expectPoisoned(service: DurableService, runId: string): Promise<readonly WrittenEvent[]> {
  const events = await expectValidStream(await service.job.follow(runId));
  expect(await service.job.run(runId)).toMatchObject({
    status: "failed",
    cause: "stalled",
    stop_reason: "poison",
    retryable: false,
    refund_reason: "stalled",
  });
  await expectNothingKept(service);
  expect(await service.leftFiles()).toEqual([]);
  return events;
}

function messageIn(events: readonly WrittenEvent[]): string {
  return events.flatMap((event) => (event.type === "RUN_ERROR" ? [event.message] : [])).join();
}

onEveryStore((store) => {
  describe("a run that loses five workers in a row", () => {
    let service: DurableService;
    beforeAll(async () => {
      const nodes = { roles: ["api", "worker", "worker"] as const };
      service = await DurableService.start({ store, ...(store === sqliteStore ? {} : nodes) });
    });
    afterAll(async () => {
      await service.close();
    });

    const lose = async (story: Story, turn: number) =>
      await loseWorkers(service, { story, turn, submit: () => service.submit(story) });

    it("ends with what it had changed", async () => {
      const story = storyOf("kept");
      const { runId, node } = await lose(story, LOST_TURN);
      await service.startAgain(node);
      const events = await expectPoisoned(service, runId);
      expect(messageIn(events)).toContain(KEPT);
      expect(patchIn(events)).toContain("+Turn 1 of alpha.");
      expect(patchIn(events)).not.toContain("Turn 2 of alpha.");
      expect(service.model.askedOf(story)).toHaveLength(LOST_TURN - 1 + LOSSES);
      // The answers that nobody has counted are there as what was reserved for them.
      const run = await service.job.run(runId);
      expect(run).toMatchObject({
        credits: 0,
        usage_by_role: { executor: { calls: LOST_TURN - 1 + LOSSES, estimated: true } },
      });
    });

    it("ends without it where the worker is lost, too, that reports it", async () => {
      const story = storyOf("lost");
      const { runId, node } = await lose(story, LOST_TURN);
      await service.killWithin(BRINGING_BACK);
      await service.startAgain(node);
      const last = await Promise.race(service.nodes.map((one) => one.process.ended.then(() => one)));
      await service.startAgain(last);
      const events = await expectPoisoned(service, runId);
      expect(messageIn(events)).toContain(NOT_KEPT);
      expect(patchIn(events)).toBe("");
      expect(service.model.askedOf(story)).toHaveLength(LOST_TURN - 1 + LOSSES);
    });
  });
});

describe("a run on SQLite that loses five workers before it has written a file", () => {
  it("ends at once", async () => {
    const service = await DurableService.start({ store: sqliteStore });
    try {
      const story = storyOf("nothing");
      const lost = await loseWorkers(service, { story, turn: 1, submit: () => service.submit(story) });
      await service.startAgain(lost.node);
      const events = await expectPoisoned(service, lost.runId);
      expect(messageIn(events)).toContain(NOT_KEPT);
      expect(patchIn(events)).toBe("");
      expect(service.model.askedOf(story)).toHaveLength(LOSSES);
    } finally {
      await service.close();
    }
  });
});

describe("a run on SQLite whose repository names an MCP server, with a secret as it is", () => {
  it("ends with what it had changed, without that secret", async () => {
    // What the first file has.
    const secret = "Turn 1 of alpha.";
    const servers = { own: { url: "https://mcp.example/mcp", headers: { "X-Api-Key": secret } } };
    const files = { ".mcp.json": JSON.stringify({ mcpServers: servers }) };
    const service = await DurableService.start({ store: sqliteStore, files });
    try {
      const { agentId } = service.job;
      const set = await call(`${service.node().url}/v1/agents/${agentId}`, {
        method: "PATCH",
        bearer: service.owner.secret,
        json: { ci_policy: { mcp_servers: "repository" } },
      });
      expect(set.status).toBe(200);
      const story = storyOf("literal");
      const submit = () => service.submit(story);
      const { runId, node } = await loseWorkers(service, { story, turn: LOST_TURN, submit });
      await service.startAgain(node);
      const events = await expectPoisoned(service, runId);
      expect(messageIn(events)).toContain(KEPT);
      expect(patchIn(events)).toContain("+***");
      expect(JSON.stringify(events)).toContain("own (repository)");
      expect(JSON.stringify(events)).not.toContain(secret);
    } finally {
      await service.close();
    }
  });
});

describe("a coding agent's run that loses five workers in a row", () => {
  it("ends with what it had changed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "poisoned-agents-"));
    const service = await DurableService.start({ store: sqliteStore, settings: agentSettings(folder) });
    try {
      // What the agent asks its model.
      const story: Story = { name: "agent", run: "coding", turns: 0, noteEvery: 0 };
      const errand: Errand = { run: story.run, way: "resumes", homeBytes: 0 };
      const place = { turn: 1, place: "unanswered" } as const;
      let hold = service.model.hold(story, place);
      const answer = await service.job.submit({ message: messageOf(errand) });
      const runId = submitRunResponseSchema.parse(answer.body).run_id;
      for (let loss = 1; loss <= LOSSES; loss += 1) {
        await hold.reached;
        if (loss === 1) await untilFilesKept(service, runId);
        const { release } = hold;
        if (loss < LOSSES) hold = service.model.hold(story, place);
        await service.node().process.kill();
        release();
        await service.startAgain();
      }
      const events = await expectPoisoned(service, runId);
      expect(messageIn(events)).toContain(KEPT);
      expect(patchIn(events)).toContain("+One.");
      expect(heardBy(folder, errand).filter(({ what }) => what === "initialize")).toHaveLength(LOSSES - 1);
    } finally {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

function agentSettings(folder: string): Readonly<Record<string, string>> {
  const environment = {
    ACP_HEARD: folder,
    AGENT_MODEL: STORY_MODEL,
    AGENT_MODEL_URL: "{model_url}",
    AGENT_MODEL_KEY: "{model_key}",
  };
  return {
    BACKEND: "acp",
    SANDBOX: "off",
    ACP_COMMAND: JSON.stringify([NODE, AGENT]),
    ACP_ENV: JSON.stringify(environment),
    ACP_KEEP_SECONDS: "1",
  };
}

async function untilFilesKept({ place }: DurableService, runId: string): Promise<void> {
  const kept = () =>
    place.query(`select entry from run_journal where run_id = '${runId}' and tree is not null`);
  await expect.poll(async () => (await kept()).length, { timeout: 60_000 }).toBeGreaterThan(0);
}
