// Runs that reach what the owner's cap a day left for them: parked, and continued where there is room.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SubmitRunRequest } from "../../../../src/contract/runs/run-requests.ts";
import { toProblem } from "../../../../src/service/api/shared/problems/to-problem.ts";
import { toRun } from "../../../../src/service/api/shared/run-view.ts";
import { givenBy, resumeRun } from "../../../../src/service/core/runs/continue-run.ts";
import { endOverdue, PARKED_DAYS } from "../../../../src/service/core/runs/park-run.ts";
import { retryParked } from "../../../../src/service/core/runs/retry-parked.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { type Parking, parkingOf } from "../../../support/parking.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const DAY_MS = 86_400_000;

onEveryStore((store) => {
  describe("a run that reaches what a cap a day left for it", () => {
    let parking: Parking;
    let fixture: CoreFixture;
    let limits: (number | null)[];

    beforeEach(async () => {
      limits = [];
      // The message is what the whole run costs in micro-USD. It spends its limit each time.
      parking = await parkingOf(async (task) => {
        const { budget } = task.meter;
        const limit = budget.maxCostMicroUsd ?? Number.POSITIVE_INFINITY;
        const needed = Number(task.messages[0]?.content);
        limits.push(budget.maxCostMicroUsd);
        budget.count({}, { tokens: 1, microUsd: Math.min(needed, limit), input: 1, cachedInput: 0 });
        return { stopReason: needed > limit ? "max_cost" : "end_turn" };
      });
      const policy = { defaultModel: "claude-opus-5" };
      fixture = await startFixture({ level: "core", store, ...parking, policy });
      fixture.executor.start();
      const { agentId } = (await fixture.caller()).capability;
      await fixture.store.transact((tx) => tx.agents.update(agentId, { ciPolicy: { max_usd_per_day: 1 } }));
    });

    afterEach(async () => {
      await fixture.close();
      await parking.remove();
    });

    const submit = async (microUsd: number, body: Partial<SubmitRunRequest> = {}) => {
      const submitted = await fixture.trySubmit({ message: String(microUsd), may_park: true, ...body });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };
    const spend = async (microUsd: number) =>
      await fixture.ended(await submit(microUsd, { max_cost_usd: microUsd / 1_000_000 }));
    const parked = async (runId: string, times: number) =>
      await fixture.until(runId, (run) => run.parked !== undefined && limits.length >= times);
    const resume = async (runId: string, body: Parameters<typeof givenBy>[0] = {}) => {
      const caller = await fixture.caller();
      const { agentId } = caller.capability;
      return await resumeRun(fixture.core, { caller, agentId, runId, given: givenBy(body) });
    };

    it("waits, gets what is left as often as it asks, and all of it on the next day", async () => {
      const runId = await submit(1_500_000, { max_cost_usd: 2 });
      const midnight = Math.floor(fixture.clock.now() / DAY_MS + 1) * DAY_MS;
      const run = await parked(runId, 1);
      expect(toRun(run)).toMatchObject({
        status: "running",
        parked: {
          reason: "day_cap",
          how_to_continue: expect.stringContaining(new Date(midnight).toISOString()),
        },
      });
      const refused = await resume(runId);
      if (refused.ok) throw new Error("It was continued.");
      expect(refused.refusal).toMatchObject({
        reason: "day_cap_reached",
        usedMicroUsd: 1_000_000,
        resetsAt: midnight,
      });
      expect(toProblem(refused.refusal)).toMatchObject({ status: 402, code: "day_cap_reached" });
      expect((await fixture.run(runId)).parked).toEqual(run.parked);

      await fixture.clock.advance(midnight - fixture.clock.now());
      expect(await resume(runId)).toMatchObject({ ok: true });
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      // The limit is of the whole run; the half that it cost today is all that counts for today.
      expect(limits).toEqual([1_000_000, 2_000_000]);
      await spend(500_000);
      expect((await fixture.trySubmit({ message: "0" })).ok).toBe(false);
    });

    it("goes on by itself on the next day, and every day, until nothing is left of its time", async () => {
      const runId = await submit(2_500_000, { max_cost_usd: 3 });
      const first = await parked(runId, 1);
      expect(await retryParked(fixture.core)).toBe(0);
      for (const day of [1, 2]) {
        const { parked: now } = await fixture.run(runId);
        const midnight = Math.floor(fixture.clock.now() / DAY_MS + 1) * DAY_MS;
        expect(now).toMatchObject({ reason: "day_cap", nextTryAt: midnight, until: first.parked?.until });
        await fixture.clock.advance(midnight - fixture.clock.now());
        // Somebody else was first on the first of these days.
        if (day === 1) {
          await spend(1_000_000);
          expect(await retryParked(fixture.core)).toBe(0);
          expect((await fixture.run(runId)).parked).toEqual({ ...now, nextTryAt: midnight + 1_800_000 });
          await fixture.clock.advance(DAY_MS);
        }
        expect(await retryParked(fixture.core)).toBe(1);
        if (day === 1) await parked(runId, 3);
      }
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      expect(limits).toEqual([1_000_000, 1_000_000, 2_000_000, 3_000_000]);
    });

    it("lets others use what it has not used, and cannot pass the cap by being continued", async () => {
      // A quarter of the cap: it names no limit.
      const runId = await submit(900_000);
      await parked(runId, 1);
      await spend(400_000);
      expect(await resume(runId)).toMatchObject({ ok: true });
      await parked(runId, 3);
      expect(await resume(runId)).toMatchObject({ ok: true });
      await parked(runId, 4);
      expect(limits).toEqual([250_000, 400_000, 500_000, 600_000]);
      expect(await resume(runId)).toMatchObject({ refusal: { reason: "day_cap_reached" } });
      expect(await resume(runId, { max_cost_usd: 5 })).toMatchObject({
        refusal: { reason: "day_cap_reached", usedMicroUsd: 1_000_000 },
      });
    });

    it("ends as one that reached its limit, where nobody continues it, or it may not be parked", async () => {
      const ended = { status: "completed", stopReason: "max_cost" };
      expect(await fixture.ended(await submit(300_000, { may_park: false }))).toMatchObject(ended);
      const runId = await submit(300_000);
      await parked(runId, 2);
      await fixture.clock.advance(PARKED_DAYS * DAY_MS + 1);
      expect(await endOverdue(fixture.core)).toBe(1);
      expect(await fixture.ended(runId)).toMatchObject(ended);
    });

    it("waits for a higher limit where its own is lower than what the cap leaves", async () => {
      const runId = await submit(300_000, { max_cost_usd: 0.2 });
      expect((await parked(runId, 1)).parked?.reason).toBe("max_cost");
      expect(await resume(runId)).toMatchObject({ refusal: { reason: "cost_not_raised" } });
      expect(await resume(runId, { max_cost_usd: 0.3 })).toMatchObject({ ok: true });
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      expect(limits).toEqual([200_000, 300_000]);
    });

    it("has the limit that it asked for once the owner takes the cap away", async () => {
      const runId = await submit(1_500_000, { max_cost_usd: 2 });
      await parked(runId, 1);
      const { agentId } = (await fixture.caller()).capability;
      await fixture.store.transact((tx) => tx.agents.update(agentId, { ciPolicy: null }));
      expect(await resume(runId)).toMatchObject({ ok: true });
      expect(await fixture.ended(runId)).toMatchObject({ stopReason: "end_turn" });
      expect(limits).toEqual([1_000_000, 2_000_000]);
    });
  });
});
