// The owner's cap of cost a day: reserved by each run at its submission, held by it, and given back where it cost less.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toProblem } from "../../../../src/service/api/shared/problems/to-problem.ts";
import { cancelRun } from "../../../../src/service/core/runs/cancel-run.ts";
import type { BackendTask } from "../../../../src/service/executor/backend.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const DAY_MS = 86_400_000;

onEveryStore((kind) => {
  describe("a cap a day", () => {
    let fixture: CoreFixture;
    let limits: (number | null)[];

    /** The message is what the run's model costs in micro-USD, or "wait". */
    const script = async (task: BackendTask) => {
      const [said] = task.messages;
      limits.push(task.meter.budget.maxCostMicroUsd);
      if (said?.content === "wait") return await untilStopped(task);
      const microUsd = Number(said?.content);
      task.meter.budget.count({}, { tokens: 1, microUsd, input: 1, cachedInput: 0 });
    };
    const start = async (defaultModel = "claude-opus-5") => {
      limits = [];
      const backend = scriptedBackend(script);
      fixture = await startFixture({
        level: "core",
        store: kind,
        backend,
        slots: 8,
        policy: { defaultModel },
      });
    };
    const cap = async (max_usd_per_day: number | null) => {
      const { agentId } = (await fixture.caller()).capability;
      const ciPolicy = max_usd_per_day === null ? null : { max_usd_per_day };
      await fixture.store.transact((tx) => tx.agents.update(agentId, { ciPolicy }));
    };
    const spend = async (microUsd: number, max_cost_usd?: number) => {
      const submitted = await fixture.trySubmit({
        message: String(microUsd),
        ...(max_cost_usd === undefined ? {} : { max_cost_usd }),
      });
      if (submitted.ok) await fixture.ended(submitted.value.runId);
      return submitted.ok ? "ran" : submitted.refusal.reason;
    };

    beforeEach(() => start());
    afterEach(() => fixture.close());

    it("counts what runs cost, holds each to what is left, and refuses the next", async () => {
      await cap(1);
      fixture.executor.start();
      expect(await spend(200_000)).toBe("ran");
      expect(await spend(500_000, 0.6)).toBe("ran");
      expect(await spend(295_000, 5)).toBe("ran");
      // A quarter of the cap; its own limit; what is left of the day.
      expect(limits).toEqual([250_000, 600_000, 300_000]);
      const refused = await fixture.trySubmit({ message: "0" });
      if (refused.ok) throw new Error("The run was not refused.");
      const midnight = Math.floor(fixture.clock.now() / DAY_MS + 1) * DAY_MS;
      expect(refused.refusal).toMatchObject({
        reason: "day_cap_reached",
        capMicroUsd: 1_000_000,
        usedMicroUsd: 995_000,
        resetsAt: midnight,
      });
      expect(toProblem(refused.refusal)).toMatchObject({ status: 402, code: "day_cap_reached" });
      fixture.clock.advance(midnight - fixture.clock.now());
      expect(await spend(10_000)).toBe("ran");
    });

    it("is not passed by runs that are submitted at once", async () => {
      await cap(1);
      const submitted = await Promise.all(
        Array.from({ length: 12 }, () => fixture.trySubmit({ message: "wait", max_cost_usd: 0.3 })),
      );
      const taken = submitted.filter(({ ok }) => ok);
      expect(taken).toHaveLength(4);
      const rows = await fixture.place.query("select micro_usd from cost_reservations order by micro_usd");
      expect(rows.map(({ micro_usd }) => Number(micro_usd))).toEqual([100_000, 300_000, 300_000, 300_000]);
      // One that nothing was done for costs nothing.
      const [first] = taken;
      const caller = await fixture.caller();
      if (first?.ok !== true) throw new Error("No run was taken.");
      expect(
        (
          await cancelRun(fixture.core, {
            caller,
            agentId: caller.capability.agentId,
            runId: first.value.runId,
          })
        ).ok,
      ).toBe(true);
      expect((await fixture.trySubmit({ message: "wait", max_cost_usd: 0.3 })).ok).toBe(true);
      expect((await fixture.trySubmit({ message: "wait", max_cost_usd: 0.3 })).ok).toBe(false);
    });

    it("needs the price of the model, as any limit of cost", async () => {
      await fixture.close();
      await start("local-model");
      await cap(1);
      expect(await spend(0)).toBe("price_unknown");
      await cap(null);
      expect(await spend(0, 1)).toBe("price_unknown");
      expect((await fixture.trySubmit({ message: "0" })).ok).toBe(true);
    });
  });
});
