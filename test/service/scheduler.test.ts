// The due-time timer: fires on time, sleeps in between, and takes up what the last process left.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "../../src/service/config.ts";
import { createSchedule } from "../../src/service/core/schedules/create-schedule.ts";
import { openOperator } from "../../src/service/operator.ts";
import { Scheduler } from "../../src/service/scheduler.ts";
import { plant, readSchedule, scheduledRuns } from "../support/schedules.ts";
import { scriptedBackend } from "../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../support/service-account.ts";
import { ServiceBed } from "../support/service-bed.ts";
import { CoreBed } from "../support/service-core.ts";
import { storeKinds } from "../support/stores.ts";

for (const kind of storeKinds) {
  describe.skipIf(kind.isSkipped)(`the scheduler on ${kind.name}`, () => {
    let bed: CoreBed;
    let account: TestAccount;
    let schedulers: Scheduler[];

    beforeEach(async () => {
      bed = await CoreBed.start({ kind });
      account = await makeAccount(bed, "registered_free");
      schedulers = [];
    });

    afterEach(async () => {
      for (const scheduler of schedulers) await scheduler.stop();
      expect(bed.clock.sleeping).toBe(0);
      await bed.close();
    });

    const start = async (count = 1) => {
      for (let index = 0; index < count; index += 1) {
        const scheduler = new Scheduler({ core: bed.core, submitter: bed.submitter });
        schedulers.push(scheduler);
        scheduler.start();
      }
      await bed.clock.whenSleeping(count);
    };
    const create = async (delaySeconds: number) => {
      const created = await createSchedule(bed.core, {
        caller: { kind: "account", accountId: account.id, callerClass: "owner" },
        agentId: account.agent.id,
        body: { prompt: "Look around.", delay_seconds: delaySeconds },
      });
      if (!created.ok) throw new Error(created.refusal.reason);
      return created.value.id;
    };
    /** Moves time on, and waits until every scheduler has done its pass and sleeps again. */
    const advance = async (ms: number) => {
      bed.clock.advance(ms);
      await bed.clock.whenSleeping(schedulers.length);
    };

    it("fires at the time of what was scheduled while it slept, and not before", async () => {
      await start();
      const woken = bed.clock.whenAwake();
      const id = await create(30);
      await woken;
      await advance(0);
      await advance(29_999);
      expect((await readSchedule(bed, id)).status).toBe("pending");
      await advance(1);
      expect(await readSchedule(bed, id)).toMatchObject({
        status: "dispatched",
        lastFiredAt: bed.clock.now(),
      });
    });

    it("fires what its time passed for while no process was there", async () => {
      const id = await create(30);
      bed.clock.advance(3_600_000);
      await start();
      expect((await readSchedule(bed, id)).status).toBe("dispatched");
    });

    it("takes up at once what the last process left in the middle of firing", async () => {
      const dueAt = bed.clock.now() + 30_000;
      const id = await plant(bed, { agentId: account.agent.id, status: "firing", attempts: 1, dueAt });
      await start(3);
      expect(await readSchedule(bed, id)).toMatchObject({ status: "dispatched" });
      expect(await scheduledRuns(bed)).toHaveLength(1);
    });

    it("finds within a minute what another node has scheduled", async () => {
      await start();
      const id = await plant(bed, { agentId: account.agent.id, fireAt: bed.clock.now() + 1_000 });
      await advance(60_000);
      expect((await readSchedule(bed, id)).status).toBe("dispatched");
    });

    it("goes on after its store was away", async () => {
      const { transact } = bed.core.store;
      let isAway = true;
      const store = {
        ...bed.core.store,
        transact: async (work: Parameters<typeof transact>[0]) => {
          if (isAway) throw new Error("The store is away.");
          return await transact(work);
        },
      };
      const id = await create(0);
      const core = { ...bed.core, store: store as typeof bed.core.store };
      const scheduler = new Scheduler({ core, submitter: bed.submitter });
      schedulers.push(scheduler);
      scheduler.start();
      await bed.clock.whenSleeping(1);
      expect((await readSchedule(bed, id)).status).toBe("pending");
      isAway = false;
      await advance(1_000);
      expect((await readSchedule(bed, id)).status).toBe("dispatched");
    });
  });

  describe.skipIf(kind.isSkipped)(`a service with schedules on ${kind.name}`, () => {
    it("fires one once, though it was stopped before its time and started after", async () => {
      const bed = await ServiceBed.start({ kind, backend: scriptedBackend(async () => {}) });
      try {
        const { databaseUrl, dataDir } = bed.place.settings;
        const config = readConfig(
          {},
          { DATA_DIR: dataDir, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) },
        );
        if (!config.ok) throw new Error(config.refusal.join("\n"));
        const operator = await openOperator(config.value);
        const owner = { plan: "registered_free" } as const;
        const made = await operator.createKey({ owner, callerClass: "owner", name: "test" });
        await operator.close();
        if (!made.ok) throw new Error(made.refusal);
        const bearer = bed.keep(made.value.secret);
        const post = async (path: string, json: unknown) =>
          (await bed.call(path, { method: "POST", bearer, json })).body as { id: string };
        const agent = await post("/v1/agents", { name: "helper" });
        const path = `/v1/agents/${agent.id}/schedules`;
        const { id } = await post(path, { prompt: "Look around.", delay_seconds: 60 });
        await bed.stop();
        bed.clock.advance(120_000);
        await bed.restart();
        const read = async () => (await bed.call(`${path}/${id}`, { bearer })).body as { status: string };
        // Time goes on: whatever failed in passing is tried again.
        while ((await read()).status !== "done") bed.clock.advance(100);
        await bed.restart();
        const runs = await bed.place.query("select origin from runs");
        expect(runs).toEqual([{ origin: "schedule" }]);
      } finally {
        await bed.close();
      }
    });
  });
}
