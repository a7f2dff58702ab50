// A hundred runs of twenty turns, while a process of the service is killed every six seconds, or every node is restarted in turn: all
// complete, as if nothing had happened. `npm run test:long -- kill9` plays it; nothing of it is in the ordinary suite, which has
// taken-up-runs.test.ts.

import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Role } from "../../src/service/settings/service-settings.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectFewRequests } from "../support/durable/expect-played.ts";
import { idealRequests, type Story } from "../support/durable/played-story.ts";
import {
  expectNotesOnce,
  expectNothingLeft,
  nodeInTurn,
  STORY_NAMES,
  unfinishedRuns,
} from "../support/durable/service-load.ts";
import { type S3Server, startS3Server } from "../support/s3-server.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const RUNS = 100;
const TURNS = 20;
const KILL_EVERY_MS = 6_000;
/** Of one process: what a small machine takes unless told. All of them have to be opened anew between two kills. */
const RUNS_AT_ONCE = 4;
/** Each so many turns one makes a note, by a call that must never be made twice. */
const NOTE_EVERY = 4;
/** Below the time between two kills: the runs of a killed worker are at work again before the next one. */
const STALLED_SECONDS = "4";
const TIMEOUT_MS = 1_800_000;

type Submitted = { readonly story: Story; readonly runId: string };

/** Ends some process, and starts it again. Returns how many requests may be lost by it. */
type Disturb = (service: DurableService, round: number) => Promise<number>;

onEveryStore((store) => {
  describe("a service under load", { tags: ["long"], timeout: TIMEOUT_MS }, () => {
    const roles: readonly Role[] = store.name === "SQLite" ? ["all"] : ["api", "api", "worker", "worker"];
    let service: DurableService;
    /** Null on SQLite, whose large contents are in a folder. */
    let s3: S3Server | null = null;

    afterEach(async () => {
      await service.close();
      await s3?.stop();
    });

    /** Submits all runs, disturbs them until the last has ended, and checks each. */
    const play = async (disturb: Disturb): Promise<void> => {
      const begun = Date.now();
      s3 = store.name === "SQLite" ? null : await startS3Server();
      const settings = { MAX_RUNNING_RUNS: String(RUNS_AT_ONCE), STALLED_SECONDS, ...s3?.settings };
      service = await DurableService.start({ store, roles, settings });
      const patches = new Map<string, string>();
      for (const name of STORY_NAMES) {
        const story = { name, run: `calm-${name}`, turns: TURNS, noteEvery: NOTE_EVERY };
        patches.set(name, (await expectCompleted(service, await service.submit(story))).patch);
        expectFewRequests(service, { story, lost: 0 });
      }

      const submitted = await Promise.all(
        Array.from({ length: RUNS }, async (_, index): Promise<Submitted> => {
          const name = STORY_NAMES[index % STORY_NAMES.length] ?? "alpha";
          const story = { name, run: `run-${index}`, turns: TURNS, noteEvery: NOTE_EVERY };
          return { story, runId: await service.submit(story) };
        }),
      );
      let lost = 0;
      let rounds = 0;
      for (; (await unfinishedRuns(service)) > 0; rounds += 1) lost += await disturb(service, rounds);

      let resumed = 0;
      for (const { story, runId } of submitted) {
        const played = await expectCompleted(service, runId);
        expect(played.patch, story.run).toBe(patches.get(story.name));
        expectNotesOnce(service, { story, played });
        resumed += played.resumed.length;
      }
      const requests = submitted.reduce((sum, { story }) => sum + service.model.askedOf(story).length, 0);
      const ideal = submitted.reduce((sum, { story }) => sum + idealRequests(story), 0);
      process.stdout.write(
        `${store.name}: ${RUNS} of ${RUNS} complete after ${rounds} rounds in ${Math.round((Date.now() - begun) / 1_000)} s, taken up ${resumed} times, ${requests} requests (ideal ${ideal}, bound ${ideal + lost})\n`,
      );
      expect(rounds).toBeGreaterThan(1);
      expect(resumed).toBeGreaterThan(0);
      expect(requests).toBeLessThanOrEqual(ideal + lost);
      await expectNothingLeft(service);
    };

    it("completes every run while one process after the other is killed", async () => {
      await play(async (one, round) => {
        await setTimeout(KILL_EVERY_MS);
        const node = nodeInTurn(one, round);
        const atWork = node.role === "api" ? 0 : Math.min(await unfinishedRuns(one), RUNS_AT_ONCE);
        await node.process.kill();
        await one.startAgain(node);
        return atWork;
      });
    });

    it("completes every run while one process after the other is restarted, and pays no request twice", async () => {
      await play(async (one, round) => {
        await setTimeout(KILL_EVERY_MS);
        const node = nodeInTurn(one, round);
        expect((await one.stop(node)).code).toBe(0);
        await one.startAgain(node);
        return 0;
      });
    });
  });
});
