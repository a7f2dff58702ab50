// The due-time timer: fires on time, sleeps in between, and takes up what the last process left.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSchedule } from "../../../src/service/core/schedules/create-schedule.ts";
import { openOperator } from "../../../src/service/operator/operator.ts";
import { readConfig } from "../../../src/service/settings/config.ts";
import { Scheduler } from "../../../src/service/wiring/scheduler.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { plant, readSchedule, scheduledRuns } from "../../support/schedules.ts";
import { scriptedBackend } from "../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../support/service-account.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("the scheduler", () => {
    let fixture: CoreFixture;
    let account: TestAccount;
    let schedulers: Scheduler[];

    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store: kind });
      account = await makeAccount(fixture, "registered_free");
      schedulers = [];
    });

    afterEach(async () => {
      for (const scheduler of schedulers) await scheduler.stop();
      expect(fixture.clock.sleeping).toBe(0);
      await fixture.close();
    });

    const start = async (count = 1) => {
      for (let index = 0; index < count; index += 1) {
        const scheduler = new Scheduler({
          core: fixture.core,
          submitter: fixture.submitter,
          describe: ({ reason }) => reason,
        });
        schedulers.push(scheduler);
        scheduler.start();
      }
      await fixture.clock.whenSleeping(count);
    };
    const create = async (delaySeconds: number) => {
      const created = await createSchedule(fixture.core, {
        caller: {
          kind: "account",
          accountId: account.id,
          callerClass: "owner",
          personId: null,
          role: "owner",
        },
        agentId: account.agent.id,
        body: { prompt: "Look around.", delay_seconds: delaySeconds },
        idempotencyKey: null,
      });
      if (!created.ok) throw new Error(created.refusal.reason);
      return created.value.id;
    };
    /** Moves time on, and waits until every scheduler has done its pass and sleeps again. */
    const advance = async (ms: number) => {
      fixture.clock.advance(ms);
      await fixture.clock.whenSleeping(schedulers.length);
    };

    it("fires at the time of what was scheduled while it slept, and not before", async () => {
      await start();
      const woken = fixture.clock.whenAwake();
      const id = await create(30);
      await woken;
      await advance(0);
      await advance(29_999);
      expect((await readSchedule(fixture, id)).status).toBe("pending");
      await advance(1);
      expect(await readSchedule(fixture, id)).toMatchObject({
        status: "dispatched",
        lastFiredAt: fixture.clock.now(),
      });
    });

    it("fires what its time passed for while no process was there", async () => {
      const id = await create(30);
      fixture.clock.advance(3_600_000);
      await start();
      expect((await readSchedule(fixture, id)).status).toBe("dispatched");
    });

    it("takes up at once what the last process left in the middle of firing", async () => {
      const dueAt = fixture.clock.now() + 30_000;
      const id = await plant(fixture, { agentId: account.agent.id, status: "firing", attempts: 1, dueAt });
      await start(3);
      expect(await readSchedule(fixture, id)).toMatchObject({ status: "dispatched" });
      expect(await scheduledRuns(fixture)).toHaveLength(1);
    });

    it("finds within a minute what another node has scheduled", async () => {
      await start();
      const id = await plant(fixture, { agentId: account.agent.id, fireAt: fixture.clock.now() + 1_000 });
      await advance(60_000);
      expect((await readSchedule(fixture, id)).status).toBe("dispatched");
    });

    it("goes on after its store was away", async () => {
      const { transact } = fixture.core.store;
      let isAway = true;
      const store = {
        ...fixture.core.store,
        transact: async (work: Parameters<typeof transact>[0]) => {
          if (isAway) throw new Error("The store is away.");
          return await transact(work);
        },
      };
      const id = await create(0);
      const core = { ...fixture.core, store: store as typeof fixture.core.store };
      const scheduler = new Scheduler({
        core,
        submitter: fixture.submitter,
        describe: ({ reason }) => reason,
      });
      schedulers.push(scheduler);
      scheduler.start();
      await fixture.clock.whenSleeping(1);
      expect((await readSchedule(fixture, id)).status).toBe("pending");
      isAway = false;
      await advance(1_000);
      expect((await readSchedule(fixture, id)).status).toBe("dispatched");
    });
  });

  describe("a service with schedules", () => {
    it("fires one once, though it was stopped before its time and started after", async () => {
      const fixture = await startFixture({
        level: "service",
        store: kind,
        backend: scriptedBackend(async () => {}),
      });
      try {
        const { databaseUrl, dataDir } = fixture.place.settings;
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
        const bearer = fixture.keep(made.value.secret);
        const post = async (path: string, json: unknown) =>
          (await fixture.call(path, { method: "POST", bearer, json })).body as { id: string };
        const agent = await post("/v1/agents", { name: "helper" });
        const path = `/v1/agents/${agent.id}/schedules`;
        const { id } = await post(path, { prompt: "Look around.", delay_seconds: 60 });
        await fixture.stop();
        fixture.clock.advance(120_000);
        await fixture.restart();
        const read = async () => (await fixture.call(`${path}/${id}`, { bearer })).body as { status: string };
        // Time goes on: whatever failed in passing is tried again.
        while ((await read()).status !== "done") fixture.clock.advance(100);
        await fixture.restart();
        const runs = await fixture.place.query("select origin from runs");
        expect(runs).toEqual([{ origin: "schedule" }]);
      } finally {
        await fixture.close();
      }
    });
  });
});
