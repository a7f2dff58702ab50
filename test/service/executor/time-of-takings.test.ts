// The service's time limit counts the time at work over all workers of a run.

import { afterEach, describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../../src/service/core/ports/store-unavailable.ts";
import type { BackendTask } from "../../../src/service/executor/backend.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { type Parking, parkingOf } from "../../support/parking.ts";
import { untilStopped } from "../../support/scripted-backend.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";

const MINUTE_MS = 60_000;
const LIMIT_MS = 60 * MINUTE_MS;

onEveryStore((store) => {
  describe("the time of a run that is taken up", () => {
    let parking: Parking;
    let fixture: CoreFixture;
    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
      await parking.remove();
    });

    /** Each worker but the last keeps an entry after its minutes, and gives the run back. Resolves once the last one has it. */
    const takeUpAfter = async (minutes: readonly number[]) => {
      const atWork = Promise.withResolvers<void>();
      let taken = 0;
      const work = async (task: BackendTask) => {
        const spent = minutes[taken];
        taken += 1;
        if (spent === undefined) {
          atWork.resolve();
          await untilStopped(task);
          task.signal.throwIfAborted();
        } else {
          fixture.clock.advance(spent * MINUTE_MS);
          await task.journal?.keep({ kind: "turn" });
          throw new StoreUnavailableError(new Error("It is away."));
        }
        return { stopReason: "end_turn" as const };
      };
      parking = await parkingOf(work);
      fixture = await startFixture({ level: "core", store, ...parking, runTimeLimitMs: LIMIT_MS });
      fixture.executor.start();
      const runId = await fixture.submit();
      await atWork.promise;
      return runId;
    };

    it("ends with the rest of the service's limit", async () => {
      const runId = await takeUpAfter([25, 20]);
      await fixture.clock.pass(15 * MINUTE_MS - 1);
      expect((await fixture.run(runId)).status).toBe("running");
      await fixture.clock.pass(1);
      expect(await fixture.ended(runId)).toMatchObject({ status: "failed", cause: "time_limit" });
    });

    it("is two minutes at least, for what is left to be said", async () => {
      const runId = await takeUpAfter([59]);
      await fixture.clock.pass(2 * MINUTE_MS - 1);
      expect((await fixture.run(runId)).status).toBe("running");
      await fixture.clock.pass(1);
      expect(await fixture.ended(runId)).toMatchObject({ status: "failed", cause: "time_limit" });
    });
  });
});
