// The clock of a service is set an hour forward and back while runs of the built-in model agent are at work: none is lost, taken twice
// or ended by a deadline that has not come.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Role } from "../../src/service/settings/service-settings.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectFewRequests, expectNothingKept } from "../support/durable/expect-played.ts";
import type { Story } from "../support/durable/played-story.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const HOUR_MS = 3_600_000;
/** An hour ends the job's own access. */
const ACCESS_MS = HOUR_MS - 300_000;
const TIMEOUT_MS = 300_000;
const MOVED_CLOCK = pathToFileURL(join(import.meta.dirname, "../support/clocks/moved-clock.ts")).href;
const TURNS = 4;
/** The notes are made in it, with the clock on its way. */
const NOTE_TURN = 2;

onEveryStore((store) => {
  describe("a run at work while the clock is set", { tags: ["long"], timeout: TIMEOUT_MS }, () => {
    const roles: readonly Role[] = store.name === "SQLite" ? ["all"] : ["api", "worker", "worker"];
    let folder: string;
    let service: DurableService;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "moved-clock-"));
      await setAhead(0);
      service = await DurableService.start({
        store,
        roles,
        settings: {
          NODE_OPTIONS: `--import ${MOVED_CLOCK}`,
          CLOCK_AHEAD: join(folder, "ahead"),
        },
      });
    });

    afterEach(async () => {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    });

    const setAhead = async (ms: number) => await writeFile(join(folder, "ahead"), String(ms));

    it.each([
      { way: "forward and back", steps: [HOUR_MS, 0] },
      { way: "back and forward", steps: [-HOUR_MS, 0] },
    ])("an hour $way goes on as if nothing had happened", async ({ steps: [first = 0, second = 0] }) => {
      const story: Story = { name: "alpha", run: "moved", turns: TURNS, noteEvery: NOTE_TURN };
      const holds = [2, 4].map((turn) => service.model.hold(story, { turn, place: "unanswered" }));
      const runId = await service.submit(story);
      await holds[0]?.reached;
      await setAhead(first);
      // Longer than a worker may be silent.
      await beats(5_000);
      holds[0]?.release();
      await holds[1]?.reached;
      await setAhead(second);
      await beats(5_000);
      holds[1]?.release();
      const played = await expectCompleted(service, runId);
      expect(played.resumed).toEqual([]);
      expectFewRequests(service, { story, lost: 0 });
      await expectNothingKept(service);
    });

    it("far forward is taken up when its worker is killed, and has the time that it had", async () => {
      const story: Story = { name: "alpha", run: "killed", turns: TURNS, noteEvery: NOTE_TURN };
      const hold = service.model.hold(story, { turn: 2, place: "unanswered" });
      const runId = await service.submit(story);
      await hold.reached;
      await setAhead(ACCESS_MS);
      const worker = service.nodeWith(service.model.askedOf(story)[0]?.apiKey ?? null);
      await worker.process.kill();
      hold.release();
      await service.startAgain(worker);
      const played = await expectCompleted(service, runId);
      expect(played.resumed).toEqual([{ turn: 2, after: "lost_worker", unknown_calls: [] }]);
      expectFewRequests(service, { story, lost: 1 });
      await expectNothingKept(service);
    });

    /** Lets the service live for a while: by the test's own clock, which nobody sets. */
    const beats = async (ms: number) => {
      const until = performance.now() + ms;
      await expect.poll(() => performance.now() >= until, { timeout: 2 * ms, interval: 100 }).toBe(true);
    };
  });
});
