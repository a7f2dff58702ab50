// A schedule becomes one run: under many ticks, after a refusal, and wherever the process dies.

import { afterEach, describe, expect, it } from "vitest";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import type { Store } from "../../../../src/service/core/ports/store.ts";
import { RunSubmitter } from "../../../../src/service/core/runs/submit-run.ts";
import { fireDueSchedules } from "../../../../src/service/core/schedules/fire-schedules.ts";
import type { CoreFixture, CoreFixtureOptions } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { plant, readSchedule, scheduledRuns } from "../../../support/schedules.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { makeAccount } from "../../../support/service-account.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const TICKS = 20;
const backend = scriptedBackend((task) => say(task, "done"));

onEveryStore((kind) => {
  describe("firing schedules", () => {
    let fixture: CoreFixture;

    const open = async (options: CoreFixtureOptions = {}) => {
      fixture = await startFixture({ level: "core", store: kind, backend, ...options });
      return await makeAccount(fixture, "registered_free");
    };
    /** Each tick with a submitter of its own, as on a node of its own. */
    const tick = () =>
      fireDueSchedules(fixture.core, {
        submitter: new RunSubmitter(fixture.core),
        describe: ({ reason }) => `because of ${reason}`,
        signal: new AbortController().signal,
      });

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    it(`fires each of five once under ${TICKS} ticks at a time`, async () => {
      const { agent } = await open();
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1) ids.push(await plant(fixture, { agentId: agent.id }));
      await Promise.all(Array.from({ length: TICKS }, tick));
      expect(await scheduledRuns(fixture)).toHaveLength(5);
      for (const id of ids) {
        const schedule = await readSchedule(fixture, id);
        expect(schedule).toMatchObject({
          status: "dispatched",
          attempts: 1,
          lastFiredAt: fixture.clock.now(),
        });
        expect(await fixture.run(schedule.runId ?? "")).toMatchObject({
          origin: "schedule",
          sessionId: schedule.sessionId,
        });
      }
    });

    it("is done once its run has ended, however it ended", async () => {
      const { agent } = await open({
        backend: scriptedBackend(async (task) => {
          if (task.messages.at(-1)?.content === "fail") throw new Error("It broke.");
        }),
      });
      const well = await plant(fixture, { agentId: agent.id });
      const badly = await plant(fixture, { agentId: agent.id, prompt: "fail" });
      await tick();
      fixture.executor.start();
      const endings: string[] = [];
      for (const id of [well, badly]) {
        const { runId } = await readSchedule(fixture, id);
        endings.push((await fixture.ended(runId ?? "")).status);
        expect(await readSchedule(fixture, id)).toMatchObject({ status: "done", attempts: 1 });
      }
      expect(endings).toEqual(["completed", "failed"]);
      await tick();
      expect(await scheduledRuns(fixture)).toHaveLength(2);
    });

    it("does not fire before its time, and never what waits for confirmation or has ended", async () => {
      const { agent } = await open();
      const early = await plant(fixture, { agentId: agent.id, fireAt: fixture.clock.now() + 1 });
      for (const status of ["awaiting_confirmation", "cancelled", "failed", "done", "dispatched"] as const) {
        await plant(fixture, { agentId: agent.id, status });
      }
      await tick();
      expect(await scheduledRuns(fixture)).toEqual([]);
      fixture.clock.advance(1);
      await tick();
      expect(await scheduledRuns(fixture)).toEqual([(await readSchedule(fixture, early)).runId]);
      fixture.clock.advance(365 * 24 * 3_600_000);
      await tick();
      expect(await scheduledRuns(fixture)).toHaveLength(1);
    });

    it("continues the pinned session, else the agent's latest, else a new one", async () => {
      const { agent } = await open();
      const first = await plant(fixture, { agentId: agent.id });
      await tick();
      const { sessionId: oldest } = await readSchedule(fixture, first);
      fixture.clock.advance(1);
      const latest = fixture.core.random.uuid(fixture.clock.now());
      const session = { id: latest, agentId: agent.id, createdAt: fixture.clock.now() };
      await fixture.store.transact((tx) => tx.sessions.insert(session));
      const pinned = await plant(fixture, { agentId: agent.id, pinnedSessionId: oldest });
      const free = await plant(fixture, { agentId: agent.id });
      await tick();
      expect((await readSchedule(fixture, pinned)).sessionId).toBe(oldest);
      expect((await readSchedule(fixture, free)).sessionId).toBe(latest);
    });

    it("tries again when the account could not pay, and fires once it can", async () => {
      const { agent, id: accountId } = await open();
      const later = await drain(accountId, agent.id);
      const id = await plant(fixture, { agentId: agent.id });
      await tick();
      const refused = await readSchedule(fixture, id);
      expect(refused).toMatchObject({ status: "pending", attempts: 1, runId: null });
      expect(refused.lastError).toBe("balance_ended: because of balance_ended");
      expect(refused.dueAt).toBeGreaterThan(fixture.clock.now());
      await grantCredits(fixture.core, { accountId, credits: 5 });
      await tick();
      expect(await scheduledRuns(fixture)).toHaveLength(later);
      fixture.clock.advance(refused.dueAt - fixture.clock.now());
      await tick();
      expect(await readSchedule(fixture, id)).toMatchObject({ status: "dispatched", attempts: 2 });
      expect(await scheduledRuns(fixture)).toHaveLength(later + 1);
    });

    it("fails after the fifth refusal, and costs nothing", async () => {
      const { agent, id: accountId } = await open();
      const before = await drain(accountId, agent.id);
      const id = await plant(fixture, { agentId: agent.id });
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await tick();
        expect(await readSchedule(fixture, id)).toMatchObject({ attempts: attempt });
        fixture.clock.advance(3_600_000);
      }
      expect((await readSchedule(fixture, id)).status).toBe("failed");
      await tick();
      expect(await readSchedule(fixture, id)).toMatchObject({ status: "failed", attempts: 5, runId: null });
      expect(await scheduledRuns(fixture)).toHaveLength(before);
    });

    it("fails at once when trying again is no use", async () => {
      const { agent } = await open();
      const id = await plant(fixture, { agentId: agent.id, pinnedSessionId: "no-session" });
      await tick();
      const failed = await readSchedule(fixture, id);
      expect(failed).toMatchObject({ status: "failed", attempts: 1 });
      expect(failed.lastError).toBe("session_not_found: because of session_not_found");
    });

    it("becomes one run wherever the process dies, and one that it knows of", async () => {
      // The transactions of a firing: taken, then run and mark. Each is lost, or made but not heard of.
      for (const failAt of [1, 2]) {
        for (const isMade of [false, true]) {
          const fault = { countdown: Number.POSITIVE_INFINITY, isMade };
          const { agent } = await open({ wrapStore: (store) => failing(store, fault) });
          const id = await plant(fixture, { agentId: agent.id });
          fault.countdown = failAt;
          await expect(tick()).rejects.toThrow("The store is gone.");
          expect(await scheduledRuns(fixture)).toHaveLength(failAt === 2 && isMade ? 1 : 0);
          await fixture.store.transact((tx) => tx.schedules.retakeFiring(fixture.clock.now()));
          await Promise.all([tick(), tick()]);
          const { runId, status } = await readSchedule(fixture, id);
          expect(status).toBe("dispatched");
          expect(await scheduledRuns(fixture)).toEqual([runId]);
          await expectSoundLedger(fixture.place);
          if (failAt === 1 || !isMade) await fixture.close();
        }
      }
    });

    it("takes over a firing that was not finished, not one in progress", async () => {
      const { agent } = await open();
      const dueAt = fixture.clock.now() + 30_000;
      const id = await plant(fixture, { agentId: agent.id, status: "firing", attempts: 1, dueAt });
      await tick();
      expect((await readSchedule(fixture, id)).status).toBe("firing");
      fixture.clock.advance(30_000);
      await Promise.all(Array.from({ length: TICKS }, tick));
      expect(await readSchedule(fixture, id)).toMatchObject({ status: "dispatched", attempts: 2 });
      expect(await scheduledRuns(fixture)).toHaveLength(1);
    });

    /** Leaves the account without credits. Returns how many runs that took. */
    const drain = async (accountId: string, agentId: string): Promise<number> => {
      fixture.executor.start();
      for (let runs = 0; ; runs += 1) {
        const id = await plant(fixture, { agentId });
        await tick();
        const { runId } = await readSchedule(fixture, id);
        if (runId === null) {
          const balance = await fixture.store.committed.ledger.findBalance(`account:${accountId}`);
          expect(balance).toBeLessThan(8_333);
          await fixture.store.transact((tx) =>
            tx.schedules.move({
              id,
              from: { status: "pending", attempts: 1 },
              change: { status: "cancelled" },
            }),
          );
          return runs;
        }
        await fixture.ended(runId);
      }
    };
  });
});

/** A store whose `countdown`-th transaction from now is lost, or made and not heard of. */
function failing(store: Store, fault: { countdown: number; isMade: boolean }): Store {
  return {
    ...store,
    transact: async (work) => {
      fault.countdown -= 1;
      if (fault.countdown !== 0) return await store.transact(work);
      if (fault.isMade) await store.transact(work);
      throw new Error("The store is gone.");
    },
  };
}
