// Links to runs as rows, on each store: the newest of a run are kept, and all end with the events or by the owner.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import type { RunView } from "../../../src/service/core/runs/run-view.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

onEveryStore((kind) => {
  describe("links to runs", () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await kind.make();
      store = await place.open();
    });

    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    const viewOf = (hash: string, changes: Partial<RunView> = {}): RunView => ({
      hash,
      runId: "run-1",
      agentId: "agent-1",
      createdAt: 10,
      ...changes,
    });
    const insert = (view: RunView) => store.transact((tx) => tx.runViews.insert(view, { keep: 2 }));
    const kept = async (...hashes: string[]) => {
      const found = await Promise.all(hashes.map((hash) => store.committed.runViews.find(hash)));
      return found.flatMap((view) => (view === null ? [] : [view.hash]));
    };

    it("are found by their hash, and the newest of each run are kept", async () => {
      await insert(viewOf("other", { runId: "run-2", createdAt: 1 }));
      for (const [at, hash] of ["a", "b", "c"].entries()) await insert(viewOf(hash, { createdAt: at }));
      expect(await store.committed.runViews.find("c")).toEqual(viewOf("c", { createdAt: 2 }));
      expect(await kept("a", "b", "c", "other")).toEqual(["b", "c", "other"]);
    });

    it("of an agent end together", async () => {
      await insert(viewOf("mine"));
      await insert(viewOf("theirs", { runId: "run-2", agentId: "agent-2" }));
      await store.transact((tx) => tx.runViews.deleteOfAgent("agent-1"));
      expect(await kept("mine", "theirs")).toEqual(["theirs"]);
    });

    it.each([1, 1_000])("end with the run's events, %i events at a time", async (maxEvents) => {
      const ended = { status: "completed", stopReason: "end_turn", startedAt: 1, heartbeatAt: 1 } as const;
      await store.transact(async (tx) => {
        await tx.runs.insert(makeRun({ ...ended, endedAt: 5, lastSeq: 9 }), makeRunInput());
        await tx.runs.insert(
          makeRun({ ...ended, id: "run-2", sessionId: "thread-2", endedAt: 50 }),
          makeRunInput(),
        );
      });
      await insert(viewOf("old"));
      await insert(viewOf("new", { runId: "run-2" }));
      await store.transact((tx) => tx.expiry.deleteRunContent({ endedBefore: 20, maxEvents, now: 20 }));
      expect(await kept("old", "new")).toEqual(["new"]);
    });

    it("children are listed oldest first, and no other run", async () => {
      await store.transact(async (tx) => {
        for (const id of ["run-1", "run-2"]) await tx.runs.insert(makeRun({ id }), makeRunInput());
        for (const id of ["child-b", "child-a"])
          await tx.runs.insert(makeRun({ id, parentRunId: "run-1" }), makeRunInput());
      });
      const ids = async (limit: number) =>
        (await store.committed.runs.listChildren({ runId: "run-1", limit })).map(({ id }) => id);
      expect([await ids(10), await ids(1)]).toEqual([["child-a", "child-b"], ["child-a"]]);
    });
  });
});
