// Runs are submitted one after the other, while one process of the service after the other is stopped by SIGTERM and started again:
// all complete, sockets that follow them have every event once, and hardly a request is paid twice. `npm run test:long --
// rolling-restarts` plays it for ten minutes, or for RESTART_MINUTES. Kills: kill9.test.ts.

import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../src/client/client.ts";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import type { Role } from "../../src/service/settings/service-settings.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted } from "../support/durable/expect-played.ts";
import { idealRequests, messageOf, type Story } from "../support/durable/played-story.ts";
import {
  expectNotesOnce,
  expectNothingLeft,
  nodeInTurn,
  STORY_NAMES,
  unfinishedRuns,
} from "../support/durable/service-load.ts";
import { type S3Server, startS3Server } from "../support/s3-server.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { readSession } from "./nodes/run-load.ts";

const MINUTES = Number(process.env.RESTART_MINUTES ?? 10);
const RESTART_EVERY_MS = 20_000;
const SUBMIT_EVERY_MS = 6_000;
const TURNS = 8;
const NOTE_EVERY = 3;
/** Of the model's answers. */
const PACE_MS = [1_000, 1_700, 2_400, 3_000] as const;
/** Of one process. */
const RUNS_AT_ONCE = 6;
/** Longer than any turn, and shorter than most. */
const DRAIN_SECONDS = ["30", "1"] as const;
/** Each so many runs one is also followed over a socket. */
const FOLLOW_EVERY = 3;
/** A node is away for as long as it drains and starts, which may be minutes on a machine that has much to do. */
const RETRY = { attempts: 600, firstDelayMs: 20, maxDelayMs: 2_000 };
const TIMEOUT_MS = (MINUTES + 10) * 60_000;

type Submitted = {
  readonly story: Story;
  readonly runId: string;
  /** Null where no socket follows it. */
  readonly followed: Promise<readonly StoredRunEvent[]> | null;
};

onEveryStore((store) => {
  describe("a service that is restarted all the time", { tags: ["long"], timeout: TIMEOUT_MS }, () => {
    const roles: readonly Role[] = store.name === "SQLite" ? ["all"] : ["api", "api", "worker", "worker"];
    let service: DurableService;
    /** Null on SQLite, whose large contents are in a folder. */
    let s3: S3Server | null = null;

    afterEach(async () => {
      await service.close();
      await s3?.stop();
    });

    it("interrupts no run, and pays at most one request twice for each restart and run", async () => {
      s3 = store.name === "SQLite" ? null : await startS3Server();
      const settings = {
        MAX_RUNNING_RUNS: String(RUNS_AT_ONCE),
        DRAIN_SECONDS: DRAIN_SECONDS[0],
        // Nobody is lost here: a worker that is only slow must not be taken for one.
        STALLED_SECONDS: "60",
        ...s3?.settings,
      };
      service = await DurableService.start({ store, roles, settings, paceMs: PACE_MS });
      const patches = new Map<string, string>();
      const playCalm = async (name: string) => {
        const story = { name, run: `calm-${name}`, turns: TURNS, noteEvery: NOTE_EVERY };
        patches.set(name, (await expectCompleted(service, await service.submit(story))).patch);
      };
      await Promise.all(STORY_NAMES.map(playCalm));

      const untilMs = Date.now() + MINUTES * 60_000;
      const load = submitUntil(service, untilMs);
      const restarted = await restartUntil(service, untilMs);
      const submitted = await load;
      const followed = await Promise.all(submitted.map(({ followed: events }) => events));
      await expect.poll(() => unfinishedRuns(service), { timeout: 300_000, interval: 500 }).toBe(0);

      const counts = await service.place.query("select status, count(*) as runs from runs group by status");
      const requests = submitted.reduce((sum, { story }) => sum + service.model.askedOf(story).length, 0);
      const ideal = submitted.reduce((sum, { story }) => sum + idealRequests(story), 0);
      const { rounds, atWork, mayLose, killed } = restarted;
      const sockets = followed.filter((events) => events !== null).length;
      process.stdout.write(
        `${store.name}: ${submitted.length} runs submitted in ${MINUTES} min and ${STORY_NAMES.length} before, ${JSON.stringify(counts)}; ${rounds} restarts (${killed} had to kill themselves), with ${atWork} runs at work on the processes that executed them; ${requests} requests (ideal ${ideal}, bound ${ideal + mayLose}); ${sockets} followed by socket\n`,
      );
      expect(counts.map(({ status }) => status)).toEqual(["completed"]);
      let handedOver = 0;
      for (const [index, { story, runId }] of submitted.entries()) {
        const played = await expectCompleted(service, runId);
        expect(played.patch, story.run).toBe(patches.get(story.name));
        if (killed === 0) expect(played.resumed.filter(({ after }) => after !== "handover")).toEqual([]);
        expectNotesOnce(service, { story, played });
        expect(followed[index] ?? played.stored, story.run).toEqual(played.stored);
        handedOver += played.resumed.length;
      }
      process.stdout.write(`${store.name}: handed over ${handedOver} times\n`);
      expect(handedOver).toBeGreaterThan(0);
      expect(requests).toBeLessThanOrEqual(ideal + mayLose);
      await expectNothingLeft(service);
    });
  });
});

/** Through the API nodes in turn, each of which may be away. */
async function submitUntil(service: DurableService, untilMs: number): Promise<readonly Submitted[]> {
  const clients = service.nodes
    .filter(({ role }) => role !== "worker")
    .map(({ url }) => createClient({ baseUrl: url, credential: () => service.job.bearer, retry: RETRY }));
  const submitting: Promise<Submitted>[] = [];
  for (let index = 0; Date.now() < untilMs; index += 1) {
    const client = clients[index % clients.length];
    if (client === undefined) throw new Error("There is no API node.");
    submitting.push(submit(service, { client, index }));
    await setTimeout(SUBMIT_EVERY_MS);
  }
  return await Promise.all(submitting);
}

async function submit(
  { job, notes }: DurableService,
  { client, index }: { readonly client: Client; readonly index: number },
): Promise<Submitted> {
  const name = STORY_NAMES[index % STORY_NAMES.length] ?? "alpha";
  const story = { name, run: `run-${index}`, turns: TURNS, noteEvery: NOTE_EVERY };
  const { runId, sessionId } = await client.runs.submit({
    agentId: job.agentId,
    body: { message: messageOf(story), egress: [notes.egress] },
    idempotencyKey: story.run,
  });
  return {
    story,
    runId,
    followed: index % FOLLOW_EVERY === 0 ? readSession(client, { sessionId, retry: RETRY }) : null,
  };
}

type Restarted = {
  readonly rounds: number;
  /** Runs at work on the processes that were stopped, at most. */
  readonly atWork: number;
  /** Those of them whose turn could not end. */
  readonly mayLose: number;
  /** Processes that had not ended ten seconds after DRAIN_SECONDS, and killed themselves: their runs have lost a worker. */
  readonly killed: number;
};

/** One process every so many seconds, with another DRAIN_SECONDS each time. */
async function restartUntil(service: DurableService, untilMs: number): Promise<Restarted> {
  let [rounds, atWork, mayLose, killed] = [0, 0, 0, 0];
  for (; Date.now() < untilMs; rounds += 1) {
    const nextMs = Date.now() + RESTART_EVERY_MS;
    const node = nodeInTurn(service, rounds);
    const has = node.role === "api" ? 0 : Math.min(await unfinishedRuns(service), RUNS_AT_ONCE);
    const [long, short] = DRAIN_SECONDS;
    const isShort = node.env.DRAIN_SECONDS === short;
    atWork += has;
    const { code, signal } = await service.stop(node);
    expect(signal === "SIGKILL" ? 0 : code).toBe(0);
    if (signal === "SIGKILL") killed += 1;
    if (isShort || signal === "SIGKILL") mayLose += has;
    await service.startAgain(node, { DRAIN_SECONDS: isShort ? long : short });
    await setTimeout(Math.max(0, nextMs - Date.now()));
  }
  return { rounds, atWork, mayLose, killed };
}
