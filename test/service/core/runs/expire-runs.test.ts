// What is left of a run some time after its end, and what its readers are told meanwhile.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ciRunPageSchema } from "../../../../src/contract/ci/run-page.ts";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import { deleteAgent } from "../../../../src/service/core/agent-endings/delete-agent.ts";
import { RunExpiry } from "../../../../src/service/core/runs/expire-runs.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../support/service-account.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { withReads } from "../../../support/wrapped-store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 90 * DAY_MS;

onEveryStore((kind) => {
  describe("runs that ended long ago", () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let account: TestAccount;
    let runExpiry: RunExpiry;
    /** Happens in front of the next read of events. */
    let beforeEvents: (() => Promise<unknown>) | null;

    beforeEach(async () => {
      beforeEvents = null;
      const backend = scriptedBackend(async (task) => {
        const words = Number(task.messages.at(-1)?.content);
        await say(task, ...Array.from({ length: words }, (_, index) => `word ${index}`));
      });
      fixture = await startFixture({
        level: "core",
        store: kind,
        backend,
        wrapStore: (store) =>
          withReads(store, {
            events: {
              list: async (query) => {
                const happen = beforeEvents;
                beforeEvents = null;
                await happen?.();
                return await store.committed.events.list(query);
              },
            },
          }),
      });
      fixture.executor.start();
      api = await openCaller(fixture);
      account = await makeAccount(fixture);
      runExpiry = new RunExpiry(fixture.core, { keptMs: KEPT_MS });
    });

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await api.close();
    });

    /** A run of so many words, to its end. */
    const speak = async (words: number, sessionId?: string) => {
      const submitted = await fixture.submitter.submit({
        caller: {
          kind: "account",
          accountId: account.id,
          callerClass: "owner",
          personId: null,
          role: "owner",
        },
        agentId: account.agent.id,
        body: { message: String(words), ...(sessionId === undefined ? {} : { session_id: sessionId }) },
        idempotencyKey: null,
      });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      await fixture.ended(submitted.value.runId);
      return submitted.value;
    };

    const read = (runId: string, query = "") =>
      api.send(`/v1/ci/runs/${runId}?${query}`, { bearer: account.owner });
    const readPage = async (runId: string, query = "") =>
      ciRunPageSchema.parse((await read(runId, query)).body);
    const rowsOf = async (runId: string) => {
      const counts = ["run_events", "run_inputs"].map(async (table) => {
        const rows = await fixture.place.query(`select run_id from ${table} where run_id = '${runId}'`);
        return rows.length;
      });
      return await Promise.all(counts);
    };
    /** One step of a sweep that deletes so many events. */
    const step = (maxEvents: number) =>
      fixture.store.transact((tx) =>
        tx.expiry.deleteRunContent({
          endedBefore: fixture.clock.now(),
          maxEvents,
          now: fixture.clock.now(),
        }),
      );

    const expectGone = (answer: Awaited<ReturnType<typeof read>>, runId: string) => {
      expect(answer.status).toBe(410);
      expect(problemSchema.parse(answer.body)).toMatchObject({
        code: "events_expired",
        error: `The events of run ${runId} are not kept any more. Its record is at GET /v1/agents/${account.agent.id}/runs/${runId}.`,
      });
    };

    it("lose them an hour after their agent was deleted, but for the record", async () => {
      const { runId } = await speak(3);
      const erased = async () =>
        (await fixture.place.query(`select erased_at from agents where id = '${account.agent.id}'`))[0];
      await deleteAgent(fixture.core, {
        caller: {
          kind: "account",
          accountId: account.id,
          callerClass: "owner",
          personId: null,
          role: "owner",
        },
        agentId: account.agent.id,
        requestId: "r",
      });
      expect((await readPage(runId)).run).toMatchObject({ status: "completed" });
      fixture.clock.advance(60 * 60_000);
      await runExpiry.sweep();
      expect((await readPage(runId)).done).toBe(true);
      fixture.clock.advance(1);
      await runExpiry.sweep();
      expect((await read(runId)).status).toBe(410);
      expect(await rowsOf(runId)).toEqual([0, 0]);
      expect((await erased())?.erased_at).not.toBeNull();
      expect(await runExpiry.sweep()).toBe(0);
    });

    it("lose their messages, their first words and events after so many days, and keep their record and their money", async () => {
      const { runId } = await speak(3);
      const path = `/v1/agents/${account.agent.id}/runs/${runId}`;
      const record = await api.send(path, { bearer: account.owner });
      fixture.clock.advance(KEPT_MS);
      expect(await runExpiry.sweep()).toBe(0);
      expect((await readPage(runId)).done).toBe(true);
      fixture.clock.advance(1);
      expect(await runExpiry.sweep()).toBe(1);
      expectGone(await read(runId), runId);
      expectGone(await read(runId, "after=2&wait=30"), runId);
      expect(await rowsOf(runId)).toEqual([0, 0]);
      expect(await api.send(path, { bearer: account.owner })).toMatchObject({
        status: 200,
        // The request's first words go with its messages.
        body: { ...(record.body as object), about: {} },
      });
      expect(
        await fixture.place.query(`select kind from ledger_postings where run_id = '${runId}'`),
      ).toHaveLength(2);
      expect(await runExpiry.sweep()).toBe(0);
    });

    it("are not revealed to a caller who may not read them", async () => {
      const { runId } = await speak(1);
      const other = await makeAccount(fixture);
      fixture.clock.advance(KEPT_MS + 1);
      await runExpiry.sweep();
      expect((await api.send(`/v1/ci/runs/${runId}`, { bearer: other.owner })).status).toBe(403);
    });

    it("are those that ended before, not those that began before", async () => {
      const old = await speak(1);
      fixture.clock.advance(KEPT_MS - DAY_MS);
      const young = await speak(1);
      fixture.clock.advance(2 * DAY_MS);
      await runExpiry.sweep();
      expectGone(await read(old.runId), old.runId);
      expect((await readPage(young.runId)).done).toBe(true);
      expect(await rowsOf(young.runId)).toEqual([6, 1]);
    });

    it("are kept for good where the operator said so", async () => {
      const { runId } = await speak(1);
      fixture.clock.advance(100 * KEPT_MS);
      expect(await new RunExpiry(fixture.core, { keptMs: 0 }).sweep()).toBe(0);
      expect((await readPage(runId)).done).toBe(true);
    });

    it("are deleted in short steps: several small runs in one, a large run in many", async () => {
      const large = await speak(2_500);
      fixture.clock.advance(1);
      for (let index = 0; index < 5; index += 1) await speak(1);
      fixture.clock.advance(KEPT_MS + 1);
      expect(await runExpiry.sweep()).toBe(4);
      expect(await rowsOf(large.runId)).toEqual([0, 0]);
      expect(await fixture.place.query("select run_id from run_events")).toEqual([]);
      expect(await fixture.place.query("select run_id from run_inputs")).toEqual([]);
    });

    it("are gone for readers from the first step on, and a sweep that was cut short is taken up", async () => {
      const { runId } = await speak(10);
      fixture.clock.advance(KEPT_MS + 1);
      expect(await step(4)).toBe(1);
      expect(await rowsOf(runId)).toEqual([11, 0]);
      expectGone(await read(runId), runId);
      expectGone(await read(runId, "after=12"), runId);
      expect(await runExpiry.sweep()).toBe(1);
      expect(await rowsOf(runId)).toEqual([0, 0]);
    });

    it("never show a reader in the middle a stream with a hole", async () => {
      const { runId } = await speak(250);
      fixture.clock.advance(KEPT_MS + 1);
      const first = await readPage(runId, "limit=50");
      expect(first.next).toBe(50);
      beforeEvents = () => step(100);
      expectGone(await read(runId, "after=50&limit=50"), runId);
      expectGone(await read(runId, `after=${first.next}`), runId);
    });

    it("give the events that were read before they went, in order, and then say that it is over", async () => {
      const { runId } = await speak(250);
      fixture.clock.advance(KEPT_MS + 1);
      beforeEvents = async () => {
        beforeEvents = () => step(150);
      };
      const page = await readPage(runId, "limit=1000");
      expect(page.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
      expect([page.next, page.done]).toEqual([100, false]);
      expectGone(await read(runId, "after=100"), runId);
    });

    it("are left to the next sweep when the service stops", async () => {
      const { runId } = await speak(1);
      fixture.clock.advance(KEPT_MS + 1);
      await runExpiry.stop();
      expect(await runExpiry.sweep()).toBe(0);
      expect((await readPage(runId)).done).toBe(true);
    });

    it("are swept by several nodes at the same time", async () => {
      const runs = [];
      for (let index = 0; index < 20; index += 1) runs.push(await speak(index));
      fixture.clock.advance(KEPT_MS + 1);
      const others = Array.from({ length: 3 }, () => new RunExpiry(fixture.core, { keptMs: KEPT_MS }));
      await Promise.all([runExpiry, ...others].map((node) => node.sweep()));
      for (const { runId } of runs) {
        expectGone(await read(runId), runId);
        expect(await rowsOf(runId)).toEqual([0, 0]);
      }
      expect(fixture.logs.filter((line) => line.startsWith("warn"))).toEqual([]);
    });

    it("leave the agent's other work as it is: a session goes on", async () => {
      const first = await speak(1);
      fixture.clock.advance(KEPT_MS + 1);
      await runExpiry.sweep();
      const second = await speak(2, first.sessionId);
      expect(second.sessionId).toBe(first.sessionId);
      expect((await readPage(second.runId)).run.status).toBe("completed");
    });
  });
});
