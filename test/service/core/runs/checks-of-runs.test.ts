// How the checks of a run ended is a field of its record, written with its end.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChecksState } from "../../../../src/contract/runs/checks.ts";
import { isTerminal } from "../../../../src/contract/runs/run.ts";
import { toRun } from "../../../../src/service/api/shared/run-view.ts";
import { cancelRun } from "../../../../src/service/core/runs/cancel-run.ts";
import { givenBy, resumeRun } from "../../../../src/service/core/runs/continue-run.ts";
import { endOverdue, PARKED_DAYS } from "../../../../src/service/core/runs/park-run.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { askPeople, type Parking, parkingOf } from "../../../support/parking.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

onEveryStore((store) => {
  describe("the checks of a run", () => {
    let parking: Parking;
    let fixture: CoreFixture;

    beforeEach(async () => {
      // The message names the states that it tells, and where it asks a question. Once continued it tells what it was told.
      parking = await parkingOf(async (task, { told }) => {
        const words = (told ?? task.messages.at(-1)?.content ?? "").split(" ");
        for (const state of words.filter((word) => word !== "" && word !== "question")) {
          const value = { state: state as ChecksState, results: [] };
          await task.emit({ type: "CUSTOM", name: "checks", value });
        }
        return words.includes("question") ? await askPeople(task, "Which one?") : { stopReason: "end_turn" };
      });
      fixture = await startFixture({ level: "core", store, ...parking });
      fixture.executor.start();
    });

    afterEach(async () => {
      await fixture.close();
      await parking.remove();
    });

    const submit = async (message: string) => {
      const submitted = await fixture.trySubmit({ message, may_park: true });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };
    /** As its readers get them: undefined where the record says nothing. */
    const checksOf = async (runId: string) => {
      const run = toRun(await fixture.until(runId, ({ status }) => isTerminal(status)));
      return "checks" in run ? run.checks : undefined;
    };

    it.each(["passed", "failed", "none"] as const)("are a field of its record: %s", async (state) => {
      expect(await checksOf(await submit(state))).toBe(state);
    });

    it("are as the newest event has them, and no field where there is none", async () => {
      expect(await checksOf(await submit("failed passed"))).toBe("passed");
      expect(await checksOf(await submit(" "))).toBeUndefined();
    });

    it("are kept while it is parked, where it is cancelled then, and where nobody continues it", async () => {
      const parked = (runId: string) => fixture.until(runId, (run) => run.parked !== undefined);
      const [continued, cancelled, expired] = [
        await submit("failed question"),
        await submit("failed question"),
        await submit("failed question"),
      ];
      for (const runId of [continued, cancelled, expired]) await parked(runId);
      const caller = await fixture.caller();
      const { agentId } = caller.capability;
      const given = givenBy({ message: "passed" });
      expect(await resumeRun(fixture.core, { caller, agentId, runId: continued, given })).toMatchObject({
        ok: true,
      });
      expect(await checksOf(continued)).toBe("passed");
      expect(await cancelRun(fixture.core, { caller, agentId, runId: cancelled })).toMatchObject({
        ok: true,
      });
      expect(await checksOf(cancelled)).toBe("failed");
      await fixture.clock.advance(PARKED_DAYS * 24 * 60 * 60 * 1000 + 1);
      expect(await endOverdue(fixture.core)).toBe(1);
      expect(await checksOf(expired)).toBe("failed");
    });
  });
});
