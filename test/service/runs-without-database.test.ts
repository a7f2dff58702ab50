// PostgreSQL is away for a while, or ends its connections, while runs of the built-in model agent are at work: each goes on, with the
// worker that it had or another one.

import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept } from "../support/durable/expect-played.ts";
import { idealRequests, noteOf, type Story } from "../support/durable/played-story.ts";
import { testDatabaseUrl } from "../support/stores/postgres-schema.ts";
import { postgresStore } from "../support/stores/stores.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const TIMEOUT_MS = 300_000;
const RUNS = 4;
const TURNS = 6;
/** Each so many turns one makes a note, by a call that must never be made twice. */
const NOTE_EVERY = 2;
const BETWEEN_MS = 2_000;
/** Then the database stays: on a machine that is slow enough no turn would ever end. */
const MOST_ROUNDS = 4;

describe("runs at work", { tags: ["postgres", "long"], timeout: TIMEOUT_MS }, () => {
  let proxy: TcpProxy;
  let service: DurableService;

  afterEach(async () => {
    await service.close();
    proxy.close();
  });

  /** Disturbs the database of runs at work, and checks each once it has ended. */
  const play = async (disturb: () => Promise<void>): Promise<void> => {
    proxy = await TcpProxy.start(new URL(testDatabaseUrl ?? ""));
    service = await DurableService.start({
      store: postgresStore,
      roles: ["api", "worker", "worker"],
      settings: { MAX_RUNNING_RUNS: "4" },
      through: (url) => proxy.standBefore(url),
    });
    const storyOf = (run: string): Story => ({ name: "alpha", run, turns: TURNS, noteEvery: NOTE_EVERY });
    const { patch } = await expectCompleted(service, await service.submit(storyOf("calm")));
    const stories = Array.from({ length: RUNS }, (_, index) => storyOf(`run-${index}`));
    const submitted = await Promise.all(
      stories.map(async (story) => ({ story, runId: await service.submit(story) })),
    );
    const unfinished = async () =>
      await service.place.query("select id from runs where status in ('queued', 'running', 'cancelling')");
    let rounds = 0;
    for (; rounds < MOST_ROUNDS && (await unfinished()).length > 0; rounds += 1) {
      await setTimeout(BETWEEN_MS);
      await disturb();
    }

    let resumed = 0;
    let requests = 0;
    for (const { story, runId } of submitted) {
      const played = await expectCompleted(service, runId);
      expect(played.patch, story.run).toBe(patch);
      resumed += played.resumed.length;
      const asked = service.model.askedOf(story).length;
      requests += asked;
      expect(asked, story.run).toBeLessThanOrEqual(idealRequests(story) + played.resumed.length);
      const unknown = played.resumed.flatMap(({ unknown_calls }) => unknown_calls).length;
      const turns = Array.from({ length: TURNS / NOTE_EVERY }, (_, at) => (at + 1) * NOTE_EVERY);
      const missing = turns.filter((turn) => service.notes.countOf(noteOf(story, turn)) === 0);
      expect(missing.length, story.run).toBeLessThanOrEqual(unknown);
    }
    process.stdout.write(
      `${rounds} rounds, taken up ${resumed} times, ${requests} requests (ideal ${RUNS * (TURNS + 1)})\n`,
    );
    expect(rounds).toBeGreaterThan(1);
    expect(resumed).toBeGreaterThan(0);
    expect(service.notes.repeated).toEqual([]);
    await expectNothingKept(service);
    for (const { url } of service.nodes) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const exits = await Promise.all(service.nodes.map((node) => service.stop(node)));
    expect(exits.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await service.leftFiles()).toEqual([]);
    expect(await service.leftProcesses()).toEqual([]);
  };

  it("go on when the database ends every connection, again and again", async () => {
    await play(async () => {
      expect(await service.loseConnections()).toBeGreaterThan(0);
    });
  });

  it.each([
    { what: "for a moment", awayMs: 500 },
    { what: "for longer than a worker may be silent", awayMs: 6_000 },
  ])("go on when the network to the database is cut $what, again and again", async ({ awayMs }) => {
    await play(async () => {
      proxy.cut();
      await setTimeout(awayMs);
      proxy.mend();
    });
  });
});
