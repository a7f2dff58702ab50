// A service whose events of ended runs leave the database: by itself, once their time has come, and for readers as before, also after a
// restart and where the service was told meanwhile to move no more.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const DAY_MS = 24 * 60 * 60_000;
/** The interval at which a node looks. */
const SWEEP_MS = 10 * 60_000;

onEveryStore((store) => {
  describe("events of runs that ended a day ago", () => {
    let fixture: ServiceFixture;
    /** What the service does each time that the interval has passed. */
    const sweeps: (() => void)[] = [];
    beforeEach(() => {
      const { setInterval } = globalThis;
      const remember = (work: () => void, ms?: number) => {
        if (ms === SWEEP_MS) sweeps.push(work);
        return setInterval(work, ms);
      };
      vi.spyOn(globalThis, "setInterval").mockImplementation(remember);
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      sweeps.length = 0;
      await fixture.close();
    });
    const passInterval = () => {
      for (const sweep of sweeps) sweep();
    };

    const rowsOf = async (runId: string) =>
      (await fixture.place.query(`select seq from run_events where run_id = '${runId}'`)).length;

    it("leave by themselves, and are followed as before", async () => {
      fixture = await ServiceFixture.start({ store, config: { archiveDays: 1 } });
      const claims = fixture.freshRepository();
      const job = await fixture.job(claims);
      const runId = await job.start();
      const events = await job.follow(runId);
      passInterval();
      expect(await rowsOf(runId)).toBe(events.length);
      fixture.clock.advance(DAY_MS + 1);
      // The sweep before may be at work still: this one is then the same.
      const sweep = async () => {
        passInterval();
        expect(await rowsOf(runId)).toBe(0);
      };
      await vi.waitFor(sweep, { timeout: 20_000, interval: 200 });
      const later = await fixture.job(claims);
      expect(await later.follow(runId)).toEqual(events);
      // Off again: what has left is read all the same.
      await fixture.restart({ config: { archiveDays: 0 } });
      expect(await (await fixture.job(claims)).follow(runId)).toEqual(events);
    });

    it("stay where the operator has not asked for it", async () => {
      fixture = await ServiceFixture.start({ store });
      const job = await fixture.job();
      const runId = await job.start();
      const { length } = await job.follow(runId);
      fixture.clock.advance(DAY_MS + 1);
      passInterval();
      await fixture.stop();
      expect(await rowsOf(runId)).toBe(length);
      await fixture.restart();
    });
  });
});
