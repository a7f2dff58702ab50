// A schedule becomes one run: under many ticks, after a refusal, and wherever the process dies.

import { afterEach, describe, expect, it } from "vitest";
import { grantCredits } from "../../../../src/service/core/keys.ts";
import type { Store } from "../../../../src/service/core/ports/store.ts";
import { fireDueSchedules } from "../../../../src/service/core/schedules/fire-schedules.ts";
import { RunSubmitter } from "../../../../src/service/core/submit-run.ts";
import { plant, readSchedule, scheduledRuns } from "../../../support/schedules.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { makeAccount } from "../../../support/service-account.ts";
import { CoreBed, type CoreBedOptions } from "../../../support/service-core.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { storeKinds } from "../../../support/stores.ts";

const TICKS = 20;
const backend = scriptedBackend((task) => say(task, "done"));

for (const kind of storeKinds) {
  describe.skipIf(kind.isSkipped)(`firing schedules on ${kind.name}`, () => {
    let bed: CoreBed;

    const open = async (options: CoreBedOptions = {}) => {
      bed = await CoreBed.start({ kind, backend, ...options });
      return await makeAccount(bed, "registered_free");
    };
    /** Each tick with a submitter of its own, as on a node of its own. */
    const tick = () =>
      fireDueSchedules(bed.core, {
        submitter: new RunSubmitter(bed.core),
        signal: new AbortController().signal,
      });

    afterEach(async () => {
      await expectSoundLedger(bed.place);
      await bed.close();
    });

    it(`fires each of five once under ${TICKS} ticks at a time`, async () => {
      const { agent } = await open();
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1) ids.push(await plant(bed, { agentId: agent.id }));
      await Promise.all(Array.from({ length: TICKS }, tick));
      expect(await scheduledRuns(bed)).toHaveLength(5);
      for (const id of ids) {
        const schedule = await readSchedule(bed, id);
        expect(schedule).toMatchObject({ status: "dispatched", attempts: 1, lastFiredAt: bed.clock.now() });
        expect(await bed.run(schedule.runId ?? "")).toMatchObject({
          origin: "schedule",
          threadId: schedule.threadId,
        });
      }
    });

    it("is done once its run has ended, however it ended", async () => {
      const { agent } = await open({
        backend: scriptedBackend(async (task) => {
          if (task.messages.at(-1)?.content === "fail") throw new Error("It broke.");
        }),
      });
      const well = await plant(bed, { agentId: agent.id });
      const badly = await plant(bed, { agentId: agent.id, prompt: "fail" });
      await tick();
      bed.executor.start();
      const endings: string[] = [];
      for (const id of [well, badly]) {
        const { runId } = await readSchedule(bed, id);
        endings.push((await bed.ended(runId ?? "")).status);
        expect(await readSchedule(bed, id)).toMatchObject({ status: "done", attempts: 1 });
      }
      expect(endings).toEqual(["completed", "failed"]);
      await tick();
      expect(await scheduledRuns(bed)).toHaveLength(2);
    });

    it("does not fire before its time, and never what waits for confirmation or has ended", async () => {
      const { agent } = await open();
      const early = await plant(bed, { agentId: agent.id, fireAt: bed.clock.now() + 1 });
      for (const status of ["awaiting_confirmation", "cancelled", "failed", "done", "dispatched"] as const) {
        await plant(bed, { agentId: agent.id, status });
      }
      await tick();
      expect(await scheduledRuns(bed)).toEqual([]);
      bed.clock.advance(1);
      await tick();
      expect(await scheduledRuns(bed)).toEqual([(await readSchedule(bed, early)).runId]);
      bed.clock.advance(365 * 24 * 3_600_000);
      await tick();
      expect(await scheduledRuns(bed)).toHaveLength(1);
    });

    it("continues the pinned session, else the agent's latest, else a new one", async () => {
      const { agent } = await open();
      const first = await plant(bed, { agentId: agent.id });
      await tick();
      const { threadId: oldest } = await readSchedule(bed, first);
      bed.clock.advance(1);
      const latest = bed.core.random.uuid(bed.clock.now());
      const session = { id: latest, agentId: agent.id, createdAt: bed.clock.now() };
      await bed.store.transact((tx) => tx.insertSession(session));
      const pinned = await plant(bed, { agentId: agent.id, pinnedSessionId: oldest });
      const free = await plant(bed, { agentId: agent.id });
      await tick();
      expect((await readSchedule(bed, pinned)).threadId).toBe(oldest);
      expect((await readSchedule(bed, free)).threadId).toBe(latest);
    });

    it("tries again when the account could not pay, and fires once it can", async () => {
      const { agent, id: accountId } = await open();
      const later = await drain(accountId, agent.id);
      const id = await plant(bed, { agentId: agent.id });
      await tick();
      const refused = await readSchedule(bed, id);
      expect(refused).toMatchObject({ status: "pending", attempts: 1, runId: null });
      expect(refused.lastError).toMatch(/^balance_ended: /);
      expect(refused.dueAt).toBeGreaterThan(bed.clock.now());
      await grantCredits(bed.core, { accountId, credits: 5 });
      await tick();
      expect(await scheduledRuns(bed)).toHaveLength(later);
      bed.clock.advance(refused.dueAt - bed.clock.now());
      await tick();
      expect(await readSchedule(bed, id)).toMatchObject({ status: "dispatched", attempts: 2 });
      expect(await scheduledRuns(bed)).toHaveLength(later + 1);
    });

    it("fails after the fifth refusal, and costs nothing", async () => {
      const { agent, id: accountId } = await open();
      const before = await drain(accountId, agent.id);
      const id = await plant(bed, { agentId: agent.id });
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await tick();
        expect(await readSchedule(bed, id)).toMatchObject({ attempts: attempt });
        bed.clock.advance(3_600_000);
      }
      expect((await readSchedule(bed, id)).status).toBe("failed");
      await tick();
      expect(await readSchedule(bed, id)).toMatchObject({ status: "failed", attempts: 5, runId: null });
      expect(await scheduledRuns(bed)).toHaveLength(before);
    });

    it("fails at once when trying again is no use", async () => {
      const { agent } = await open();
      const id = await plant(bed, { agentId: agent.id, pinnedSessionId: "no-session" });
      await tick();
      const failed = await readSchedule(bed, id);
      expect(failed).toMatchObject({ status: "failed", attempts: 1 });
      expect(failed.lastError).toMatch(/^session_not_found: /);
    });

    it("becomes one run wherever the process dies, and one that it knows of", async () => {
      // The transactions of a firing: taken, then run and mark. Each is lost, or made but not heard of.
      for (const failAt of [1, 2]) {
        for (const isMade of [false, true]) {
          const fault = { countdown: Number.POSITIVE_INFINITY, isMade };
          const { agent } = await open({ wrapStore: (store) => failing(store, fault) });
          const id = await plant(bed, { agentId: agent.id });
          fault.countdown = failAt;
          await expect(tick()).rejects.toThrow("The store is gone.");
          expect(await scheduledRuns(bed)).toHaveLength(failAt === 2 && isMade ? 1 : 0);
          await bed.store.transact((tx) => tx.retakeFiringSchedules(bed.clock.now()));
          await Promise.all([tick(), tick()]);
          const { runId, status } = await readSchedule(bed, id);
          expect(status).toBe("dispatched");
          expect(await scheduledRuns(bed)).toEqual([runId]);
          await expectSoundLedger(bed.place);
          if (failAt === 1 || !isMade) await bed.close();
        }
      }
    });

    it("takes over a firing that nobody finished, not one under way", async () => {
      const { agent } = await open();
      const dueAt = bed.clock.now() + 30_000;
      const id = await plant(bed, { agentId: agent.id, status: "firing", attempts: 1, dueAt });
      await tick();
      expect((await readSchedule(bed, id)).status).toBe("firing");
      bed.clock.advance(30_000);
      await Promise.all(Array.from({ length: TICKS }, tick));
      expect(await readSchedule(bed, id)).toMatchObject({ status: "dispatched", attempts: 2 });
      expect(await scheduledRuns(bed)).toHaveLength(1);
    });

    /** Leaves the account without credits. Returns how many runs that took. */
    const drain = async (accountId: string, agentId: string): Promise<number> => {
      bed.executor.start();
      for (let runs = 0; ; runs += 1) {
        const id = await plant(bed, { agentId });
        await tick();
        const { runId } = await readSchedule(bed, id);
        if (runId === null) {
          const balance = await bed.store.committed.findBalance(`account:${accountId}`);
          expect(balance).toBeLessThan(8_333);
          await bed.store.transact((tx) =>
            tx.moveSchedule({
              id,
              from: { status: "pending", attempts: 1 },
              change: { status: "cancelled" },
            }),
          );
          return runs;
        }
        await bed.ended(runId);
      }
    };
  });
}

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
