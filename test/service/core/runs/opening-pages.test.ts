// What a waiting reader gets of a run that starts and ends while its page is read: not its start alone.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Core } from "../../../../src/service/core/core.ts";
import { appendRunEvents, takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { readEventPage } from "../../../../src/service/core/runs/read-run.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("a page of a run that opens", () => {
    let fixture: CoreFixture;

    beforeEach(async () => {
      const backend = scriptedBackend((task) => say(task, "done"));
      fixture = await startFixture({ level: "core", store: kind, backend });
    });

    afterEach(() => fixture.close());

    const emit = (runId: string) =>
      appendRunEvents(fixture.core, {
        runId,
        fence: 1,
        events: [{ type: "STEP_STARTED", stepName: "look" }],
      });

    const readPage = async (core: Core, runId: string) => {
      const caller = await fixture.caller();
      const { signal } = new AbortController();
      const page = await readEventPage(core, { caller, runId, after: 0, limit: 100, waitMs: 30_000, signal });
      if (!page.ok) expect.unreachable(page.refusal.reason);
      return page.value.events.map(({ seq }) => seq);
    };

    it("has what was said between the reads and their answers", async () => {
      const runId = await fixture.submit();
      const { findRun, listEvents, ...reads } = sharedReadsOf(fixture.core);
      const listed = Promise.withResolvers<void>();
      const findThenEmit = async (id: string) => {
        const run = await findRun(id);
        if (run?.lastSeq !== 1) return run;
        await listed.promise;
        await emit(runId);
        return run;
      };
      const list: typeof listEvents = async (read) => {
        const events = await listEvents(read);
        listed.resolve();
        return events;
      };
      const core = { ...fixture.core, reads: { ...reads, findRun: findThenEmit, listEvents: list } };
      const waiting = fixture.clock.sleeping;
      const page = readPage(core, runId);
      await fixture.clock.whenSleeping(waiting + 1);
      await takeRun(fixture.core, runId);
      fixture.core.signals.wakeToLook(runId);
      expect(await page).toEqual([1, 2]);
    });

    it("waits for the take that has started the run and has not said so", async () => {
      const { store } = fixture.core;
      const [committed, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const transact: typeof store.transact = async (...work) => {
        const result = await store.transact(...work);
        committed.resolve();
        await told.promise;
        return result;
      };
      const runId = await fixture.submit();
      const core: Core = { ...fixture.core, store: Object.assign(Object.create(store), { transact }) };
      const taken = takeRun(core, "oldest");
      await committed.promise;
      const waiting = fixture.clock.sleeping;
      const { findRun, ...reads } = sharedReadsOf(fixture.core);
      const findThenTell = async (id: string) => {
        const run = await findRun(id);
        setImmediate(told.resolve);
        return run;
      };
      const page = readPage({ ...fixture.core, reads: { ...reads, findRun: findThenTell } }, runId);
      expect((await taken)?.run.id).toBe(runId);
      await Promise.race([fixture.clock.whenSleeping(waiting + 1), page]);
      await emit(runId);
      expect(await page).toEqual([1, 2]);
    });
  });
});

function sharedReadsOf({ reads }: Core): Core["reads"] {
  return {
    findRun: (runId) => reads.findRun(runId),
    findAgent: (agentId) => reads.findAgent(agentId),
    listEvents: (read) => reads.listEvents(read),
  };
}
