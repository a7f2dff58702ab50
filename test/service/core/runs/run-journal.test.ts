// Journals of runs, and the runs that are given back: on each store, by the core alone.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sealingKeyOf } from "../../../../src/base/sealed-text.ts";
import type { RunEvent } from "../../../../src/contract/runs/run-event.ts";
import type { Core } from "../../../../src/service/core/core.ts";
import { RunExpiry } from "../../../../src/service/core/runs/expire-runs.ts";
import type { JournalKind } from "../../../../src/service/core/runs/journal-port.ts";
import { finishRun, takeReleasedRun, takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { leaveRun, recoverRuns } from "../../../../src/service/core/runs/recover-runs.ts";
import {
  handOverRun,
  JOURNAL_VERSION,
  keepEntry,
  MAX_LOSSES,
  openEntries,
} from "../../../../src/service/core/runs/run-journal.ts";
import { NEWER_NODE_MS, StalledRuns } from "../../../../src/service/core/runs/stalled-runs.ts";
import { noUsage } from "../../../../src/service/core/runs/usage.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { expectValidStream, outlineOf } from "../../../support/service-streams.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const keyOf = (byte: number) => ({ current: sealingKeyOf(Buffer.alloc(32, byte)), previous: null });
const step: RunEvent = { type: "STEP_STARTED", stepName: "open" };

/** Of an entry that says all by its kind. */
const nothing = { tree: null, turn: null, seq: null } as const;

onEveryStore((kind) => {
  describe("the journal of a run", () => {
    let fixture: CoreFixture;
    let core: Core;
    let runId: string;

    beforeEach(async () => {
      const backend = scriptedBackend((task) => say(task, "done"));
      fixture = await startFixture({ level: "core", store: kind, backend });
      core = { ...fixture.core, journalKeys: keyOf(1) };
      runId = await fixture.submit();
      await takeRun(core, runId);
    });

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    const keep = (entry: number, rest: Partial<Parameters<typeof keepEntry>[1]["entry"]> = {}) =>
      keepEntry(core, { runId, fence: 1, events: [], entry: { entry, kind: "turn", ...rest } });

    const loseWorkers = async (count: number) => {
      for (let lost = 1; lost <= count; lost += 1) {
        expect(await leaveRun(core, runId)).toBe("released");
        await takeReleasedRun(core, runId);
      }
    };

    it("is kept with the events that were before it, sealed, and read again", async () => {
      const body = { said: "a secret of the repository" };
      const entry = { entry: 1, kind: "turn" as const, body, tree: { pack: "the files" } };
      expect(await keepEntry(core, { runId, fence: 1, events: [step], entry })).toBe("running");
      expect(outlineOf((await fixture.stream(runId)).map(({ event }) => event as RunEvent))).toEqual([
        "RUN_STARTED",
        "STEP_STARTED",
      ]);
      expect(await openEntries(core, runId)).toEqual([
        { entry: 1, kind: "turn", body, tree: { pack: "the files" } },
      ]);
      const stored = JSON.stringify(await fixture.place.query("select * from run_journal"));
      expect(stored).not.toMatch(/secret|files/);
    });

    it("is read by nobody without its key, in another form, or out of its place", async () => {
      await keep(1, { body: "one" });
      await keep(2, { body: "two" });
      expect(await openEntries({ ...core, journalKeys: keyOf(2) }, runId)).toBeNull();
      expect(await openEntries({ ...core, journalKeys: null }, runId)).toBeNull();
      const [first] = await fixture.store.committed.journal.list(runId);
      if (first === undefined) throw new Error("Nothing was kept.");
      await fixture.store.transact((tx) => tx.journal.append({ ...first, entry: 3 }));
      expect(await openEntries(core, runId)).toBeNull();
      await fixture.store.transact((tx) => tx.journal.delete(runId));
      await fixture.store.transact((tx) => tx.journal.append(first));
      expect(await openEntries(core, runId)).toHaveLength(1);
      await fixture.store.transact((tx) => tx.journal.append({ ...first, entry: 2, body: "", version: 99 }));
      expect(await openEntries(core, runId)).toBeNull();
    });

    it("takes nothing from a worker that has lost the run", async () => {
      await keep(1);
      await leaveRun(core, runId);
      expect(await keep(3, { body: "late" })).toBeNull();
      expect((await openEntries(core, runId))?.map(({ kind: one }) => one)).toEqual(["turn", "lost"]);
    });

    it("is no longer than its whole entries: what they hold is emptied before them", async () => {
      await keep(1, { body: "one", tree: "first" });
      await keep(2, { body: "two", isWhole: true });
      await keep(3, { body: "three", tree: "second", firstTree: 3 });
      expect(await openEntries(core, runId)).toEqual([
        { entry: 1, kind: "turn", body: undefined, tree: undefined },
        { entry: 2, kind: "turn", body: "two", tree: undefined },
        { entry: 3, kind: "turn", body: "three", tree: "second" },
      ]);
    });

    it("lists the turns whose messages and files are both there, each as it was at first", async () => {
      const turns = async () =>
        (await fixture.store.committed.journal.listTurns(runId)).map(({ turn, entry }) => [turn, entry]);
      await keep(1, { kind: "begun" });
      await keep(2, { turn: 1, body: "one" });
      await keep(3, { turn: 2, body: "two", tree: "first" });
      await keep(4, { turn: 2, body: "two again" });
      await keep(5, { turn: 3, body: "three" });
      expect(await turns()).toEqual([
        [1, 2],
        [2, 3],
        [3, 5],
      ]);
      const [, second] = await fixture.store.committed.journal.listTurns(runId);
      expect(second?.seq).toBe((await fixture.run(runId)).lastSeq);
      await keep(6, { turn: 4, body: "four", tree: "second", firstTree: 6 });
      expect(await turns()).toEqual([
        [1, 2],
        [4, 6],
      ]);
      await keep(7, { turn: 5, body: "five", isWhole: true });
      expect(await turns()).toEqual([[5, 7]]);
    });

    const finish = async () => {
      const ending = { status: "completed", stopReason: "end_turn" } as const;
      const ended = { events: [], ending, usage: noUsage, hasDelegated: false, hasJournal: true };
      await finishRun(core, { runId, fence: 1, ...ended });
      expect((await fixture.run(runId)).status).toBe("completed");
    };
    const journal = () => fixture.place.query("select entry from run_journal");

    it("ends with its run", async () => {
      await keep(1);
      await finish();
      expect(await journal()).toEqual([]);
    });

    describe("that is kept after the run's end", () => {
      const DAY_MS = 24 * 60 * 60 * 1000;

      beforeEach(() => {
        core = { ...core, policy: { ...core.policy, journalMs: 7 * DAY_MS } };
      });

      it("is deleted some days later, and not before", async () => {
        await keep(1, { turn: 1, body: "one" });
        await keep(2, { turn: 2, body: "two" });
        await finish();
        await fixture.clock.advance(7 * DAY_MS - 1_000);
        const sweep = () => new RunExpiry(core, { keptMs: 0 }).sweep();
        expect(await sweep()).toBe(0);
        expect(await journal()).toHaveLength(2);
        await fixture.clock.advance(2_000);
        expect(await sweep()).toBe(1);
        expect(await journal()).toEqual([]);
        expect(await sweep()).toBe(0);
      });

      it("is deleted with the run's messages and events", async () => {
        await keep(1, { turn: 1, body: "one" });
        await finish();
        await fixture.clock.advance(2 * DAY_MS);
        await new RunExpiry(core, { keptMs: DAY_MS }).sweep();
        expect(await journal()).toEqual([]);
      });

      it("is deleted at once where fewer days are set", async () => {
        await keep(1, { turn: 1, body: "one" });
        await finish();
        await fixture.clock.advance(1_000);
        const none = { ...core, policy: { ...core.policy, journalMs: 0 } };
        await new RunExpiry(none, { keptMs: 0 }).sweep();
        expect(await journal()).toEqual([]);
      });

      it("is deleted at once with the agent, and where the account gives it back, but not of runs at work", async () => {
        await keep(1, { turn: 1, body: "one" });
        const { agentId } = await fixture.run(runId);
        const now = fixture.clock.now();
        const deleteEnded = () => fixture.store.transact((tx) => tx.journal.deleteEnded({ agentId, now }));
        await deleteEnded();
        expect(await journal()).toHaveLength(1);
        await finish();
        await deleteEnded();
        expect(await journal()).toEqual([]);
      });

      it("holds no run at work", async () => {
        await keep(1, { turn: 1, body: "one" });
        await finish();
        expect(await recoverRuns(core)).toEqual({ requeued: 0, taken_up: 0, ended: 0 });
        const { queue } = fixture.store.committed;
        expect([await queue.listReleased(), await queue.listNewer(0)]).toEqual([[], []]);
      });
    });

    it("ends with a run that was taken up and could not go on", async () => {
      await keep(1);
      expect(await leaveRun(core, runId)).toBe("released");
      // It has no key: it cannot read the journal.
      fixture.executor.start();
      fixture.dispatch.requeue(runId);
      expect(await fixture.ended(runId)).toMatchObject({
        status: "failed",
        cause: "interrupted",
        refundReason: "interrupted",
      });
      await expectValidStream(await fixture.stream(runId));
      expect(await fixture.place.query("select * from run_journal")).toEqual([]);
      expect(await fixture.place.query("select * from released_runs")).toEqual([]);
    });

    it("is missed by a fork that a backup has brought back without it: that does not begin anew", async () => {
      const forkId = await fixture.submit();
      const input = await fixture.store.committed.runs.findInput(forkId);
      if (input === null) throw new Error("There is no input.");
      const forkOf = { runId, turn: 1 };
      await fixture.store.transact((tx) => tx.runs.updateInput(forkId, { ...input, forkOf }));
      fixture.executor.start();
      expect(await fixture.ended(forkId)).toMatchObject({ status: "failed", cause: "interrupted" });
      await expectValidStream(await fixture.stream(forkId));
    });

    it("ends with a run whose agent was deleted before another worker took it", async () => {
      await keep(1);
      expect(await leaveRun(core, runId)).toBe("released");
      const { agentId: id } = await fixture.run(runId);
      await fixture.store.transact((tx) => tx.agents.delete({ id, now: fixture.clock.now() }));
      fixture.executor.start();
      fixture.dispatch.requeue(runId);
      expect(await fixture.ended(runId)).toMatchObject({ status: "cancelled", cause: "agent_deleted" });
      expect(await fixture.place.query("select * from run_journal")).toEqual([]);
      expect(await fixture.place.query("select * from released_runs")).toEqual([]);
    });

    it("ends with a run that was cancelled while it waited for another worker", async () => {
      await keep(1);
      expect(await leaveRun(core, runId)).toBe("released");
      await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
      fixture.executor.start();
      fixture.dispatch.requeue(runId);
      expect((await fixture.ended(runId)).status).toBe("cancelled");
      await expectValidStream(await fixture.stream(runId));
      expect(await fixture.place.query("select * from run_journal")).toEqual([]);
      expect(await fixture.place.query("select * from released_runs")).toEqual([]);
    });

    describe("of a newer version of the program", () => {
      /** As a node of that version would: with a kind that this one does not know. */
      const keepNewer = async () => {
        await keep(1);
        const newer = { runId, entry: 2, version: JOURNAL_VERSION + 1, body: "", ...nothing };
        const entry = { ...newer, kind: "of a newer version" as JournalKind };
        await fixture.store.transact((tx) => tx.journal.append(entry));
      };
      const stalledOn = (elapsed: { ms: number }) =>
        new StalledRuns(core, { stalledMs: 1_000, elapsedMs: () => elapsed.ms });

      it("is left to nodes that know it, though its run is given back by any", async () => {
        await keepNewer();
        expect(await leaveRun(core, runId)).toBe("released");
        expect(await takeReleasedRun(core, "oldest")).toBeNull();
        expect(await takeReleasedRun(core, runId)).toBeNull();
        expect((await fixture.run(runId)).status).toBe("running");
        const newer = { runId: null, now: 1, version: JOURNAL_VERSION + 1 };
        const taken = await fixture.store.transact((tx) => tx.queue.takeReleased(newer));
        expect(taken?.run).toMatchObject({ id: runId, fence: 3 });
      });

      it("does not hold up a cancel of its run", async () => {
        await keepNewer();
        expect(await leaveRun(core, runId)).toBe("released");
        await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
        fixture.executor.start();
        fixture.dispatch.requeue(runId);
        expect((await fixture.ended(runId)).status).toBe("cancelled");
      });

      it("ends with its run once no node that knows it has come for ten minutes", async () => {
        await keepNewer();
        expect(await leaveRun(core, runId)).toBe("released");
        const elapsed = { ms: 0 };
        const stalled = stalledOn(elapsed);
        expect(await stalled.sweep()).toBe(0);
        elapsed.ms = NEWER_NODE_MS - 1;
        expect(await stalled.sweep()).toBe(0);
        elapsed.ms = NEWER_NODE_MS;
        expect(await stalled.sweep()).toBe(1);
        expect(await fixture.run(runId)).toMatchObject({
          status: "failed",
          cause: "interrupted",
          retryable: true,
          refundReason: "interrupted",
        });
        await expectValidStream(await fixture.stream(runId));
        expect(await fixture.place.query("select * from run_journal")).toEqual([]);
        expect(await fixture.place.query("select * from released_runs")).toEqual([]);
      });

      it("waits anew once such a node has had its run", async () => {
        await keepNewer();
        await leaveRun(core, runId);
        const elapsed = { ms: 0 };
        const stalled = stalledOn(elapsed);
        await stalled.sweep();
        const newer = { runId, now: 1, version: JOURNAL_VERSION + 1 };
        await fixture.store.transact((tx) => tx.queue.takeReleased(newer));
        await leaveRun(core, runId);
        elapsed.ms = NEWER_NODE_MS;
        expect(await stalled.sweep()).toBe(0);
        elapsed.ms = 2 * NEWER_NODE_MS;
        expect(await stalled.sweep()).toBe(1);
      });

      it.each(["that it finds at work", "that was given back"])(
        "ends with a run %s, where the next process is alone",
        async (run) => {
          await keepNewer();
          if (run === "that was given back") await leaveRun(core, runId);
          expect(await recoverRuns(core)).toEqual({ requeued: 0, taken_up: 0, ended: 1 });
          expect(await fixture.run(runId)).toMatchObject({ status: "failed", cause: "interrupted" });
          await expectValidStream(await fixture.stream(runId));
          expect(await recoverRuns(core)).toEqual({ requeued: 0, taken_up: 0, ended: 0 });
        },
      );
    });

    it("is read though a node of an older version has given its run back", async () => {
      await keep(1, { body: "one" });
      const lost = {
        runId,
        entry: 2,
        kind: "lost",
        version: JOURNAL_VERSION - 1,
        body: "",
        ...nothing,
      } as const;
      await fixture.store.transact((tx) => tx.journal.append(lost));
      expect((await openEntries(core, runId))?.map(({ kind: one }) => one)).toEqual(["turn", "lost"]);
      await fixture.store.transact((tx) =>
        tx.journal.append({ ...lost, entry: 3, kind: "turn", body: "old" }),
      );
      expect(await openEntries(core, runId)).toBeNull();
    });

    it("has a lost run taken once more, whose stream goes on", async () => {
      await keepEntry(core, { runId, fence: 1, events: [step], entry: { entry: 1, kind: "turn" } });
      expect(await leaveRun(core, runId)).toBe("released");
      expect(await fixture.run(runId)).toMatchObject({ status: "running", fence: 2 });
      expect(await fixture.store.committed.queue.listAtWork()).toEqual([]);
      expect(await fixture.store.committed.queue.listReleased()).toEqual([runId]);
      const takes = await Promise.all([takeReleasedRun(core, "oldest"), takeReleasedRun(core, runId)]);
      expect(takes.map((taken) => taken?.run.fence ?? null).sort()).toEqual([3, null]);
      expect(await fixture.store.committed.queue.listAtWork()).toMatchObject([{ id: runId, fence: 3 }]);
      const ending = { status: "completed", stopReason: "end_turn" } as const;
      expect(await finishRun(core, { runId, fence: 1, events: [], ending, usage: noUsage })).toBe(false);
      expect(await finishRun(core, { runId, fence: 3, events: [], ending, usage: noUsage })).toBe(true);
      const events = await expectValidStream(await fixture.stream(runId));
      expect(outlineOf(events).slice(0, 3)).toEqual(["RUN_STARTED", "STEP_STARTED", "STEP_FINISHED"]);
    });

    it("has the next process take a run up that was released, or that it finds at work", async () => {
      await keep(1);
      while (fixture.dispatch.waiting() > 0) await fixture.dispatch.next(AbortSignal.timeout(1_000));
      expect(await recoverRuns(core)).toEqual({ requeued: 0, taken_up: 1, ended: 0 });
      expect(await recoverRuns(core)).toEqual({ requeued: 0, taken_up: 1, ended: 0 });
      expect(await fixture.dispatch.next(AbortSignal.timeout(1_000))).toBe(runId);
      expect((await takeRun(core, runId))?.run).toMatchObject({ status: "running", fence: 3 });
    });

    it("has a run that is given back twice taken once", async () => {
      await keep(1);
      expect(await leaveRun(core, runId)).toBe("released");
      expect(await leaveRun(core, runId)).toBe("released");
      expect((await takeReleasedRun(core, "oldest"))?.run.fence).toBe(4);
      expect(await takeReleasedRun(core, "oldest")).toBeNull();
    });

    it("has a worker give its run back, which is no loss", async () => {
      await keep(1);
      for (let fence = 1; fence <= 2 * MAX_LOSSES + 1; fence += 2) {
        expect(await handOverRun(core, { runId, fence, events: [] })).toBe(true);
        expect((await takeReleasedRun(core, runId))?.run.fence).toBe(fence + 2);
      }
      expect(await handOverRun(core, { runId, fence: 1, events: [] })).toBe(false);
    });

    it("ends a run that has lost five workers in a row", async () => {
      await keep(1);
      await loseWorkers(MAX_LOSSES - 1);
      expect(await leaveRun(core, runId)).toBe("ended");
      expect(await fixture.run(runId)).toMatchObject({
        status: "failed",
        cause: "stalled",
        stopReason: "poison",
        retryable: false,
        refundReason: "stalled",
      });
      expect(await fixture.place.query("select * from run_journal")).toEqual([]);
    });

    it("has one taken once more whose files are kept, and ends it where that worker is lost, too", async () => {
      await keep(1, { tree: { pack: "the files" } });
      await keep(2, { kind: "spend" });
      await loseWorkers(MAX_LOSSES);
      const fence = 1 + 2 * MAX_LOSSES;
      expect(await handOverRun(core, { runId, fence, events: [] })).toBe(true);
      expect((await takeReleasedRun(core, runId))?.run.fence).toBe(fence + 2);
      expect((await openEntries(core, runId))?.map(({ kind }) => kind)).toEqual([
        "turn",
        "spend",
        ...Array.from({ length: MAX_LOSSES - 1 }, () => "lost"),
        "poisoned",
        "handover",
      ]);
      expect(await leaveRun(core, runId)).toBe("ended");
      expect(await fixture.run(runId)).toMatchObject({ cause: "stalled", stopReason: "poison" });
      expect(await fixture.place.query("select * from run_journal")).toEqual([]);
    });

    it("has no cancelled run taken up", async () => {
      await keep(1);
      await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
      expect(await leaveRun(core, runId)).toBe("ended");
      expect((await fixture.run(runId)).status).toBe("cancelled");
      expect(await handOverRun(core, { runId, fence: 1, events: [] })).toBe(false);
    });

    it("has a run taken up that was lost before its first entry, where its backend would have made one", async () => {
      const keeps = { ...core, journalledBackends: new Set([core.policy.backend]) };
      expect(await leaveRun(keeps, runId)).toBe("released");
      expect((await takeReleasedRun(keeps, runId))?.run.fence).toBe(3);
      // It has an entry by now, and is no run that has just begun.
      expect(await leaveRun(core, runId)).toBe("released");
    });

    it("has a run end with its worker without one", async () => {
      expect(await leaveRun(core, runId)).toBe("ended");
      expect(await fixture.run(runId)).toMatchObject({ status: "failed", cause: "interrupted" });
    });

    it("has a run end with its worker without a key", async () => {
      await keep(1);
      expect(await leaveRun(fixture.core, runId)).toBe("ended");
    });
  });
});
