// What moves in workspaces, on every store: numbered in the order of commits, without a gap, and kept for a while.

import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  KEPT_WORKSPACE_EVENTS,
  type WorkspaceMove,
} from "../../../src/contract/workspaces/workspace-events.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";

const copy = (id: string): WorkspaceMove => ({ what: "copy", id, state: "ready" });

onEveryStore((kind) => {
  describe("events of a workspace", () => {
    let place: Awaited<ReturnType<typeof kind.make>>;
    let store: Store;

    beforeAll(async () => {
      place = await kind.make();
      store = await place.open();
    });

    afterAll(async () => {
      await store.close();
      await place.remove();
    });

    const append = (workspaceId: string, moves: readonly WorkspaceMove[], now = 1) =>
      store.transact((tx) => tx.workspaceEvents.append({ workspaceId, moves, now }));
    const list = (workspaceId: string, after = 0, limit = 10_000) =>
      store.committed.workspaceEvents.list({ workspaceId, after, limit });

    it("are numbered from 1 in each workspace, and read behind a number", async () => {
      await append("one", [copy("a"), { what: "revision", id: "r", state: "accepted" }], 5);
      await append("other", [copy("z")]);
      await append("one", []);
      await append("one", [copy("b")], 7);
      expect(await list("one")).toEqual([
        { seq: 1, at: 5, what: "copy", id: "a", state: "ready" },
        { seq: 2, at: 5, what: "revision", id: "r", state: "accepted" },
        { seq: 3, at: 7, what: "copy", id: "b", state: "ready" },
      ]);
      expect((await list("one", 1, 1)).map(({ seq }) => seq)).toEqual([2]);
      expect((await list("other")).map(({ seq, id }) => [seq, id])).toEqual([[1, "z"]]);
      expect(await store.committed.workspaceEvents.ends("one")).toEqual({ first: 1, last: 3 });
      expect(await store.committed.workspaceEvents.ends("none")).toEqual({ first: 0, last: 0 });
    });

    it("of many at once have no gap, and none that is numbered lower appears later", async () => {
      const done = new AbortController();
      const seen: number[][] = [];
      const watching = (async () => {
        while (!done.signal.aborted) {
          seen.push((await list("busy")).map(({ seq }) => seq));
          await setImmediate();
        }
      })();
      await Promise.all(
        Array.from({ length: 60 }, (_, at) => append("busy", [copy(`${at}`), copy(`${at}'`)])),
      );
      done.abort();
      await watching;
      const whole = Array.from({ length: 120 }, (_, at) => at + 1);
      expect((await list("busy")).map(({ seq }) => seq)).toEqual(whole);
      for (const seqs of seen) expect(seqs).toEqual(whole.slice(0, seqs.length));
    });

    it("of a transaction that fails are never seen, and their numbers go to the next", async () => {
      const failing = store.transact(async (tx) => {
        await tx.workspaceEvents.append({ workspaceId: "undone", moves: [copy("a")], now: 1 });
        throw new Error("It fails.");
      });
      await expect(failing).rejects.toThrow("It fails.");
      expect(await list("undone")).toEqual([]);
      await append("undone", [copy("b")]);
      expect((await list("undone")).map(({ seq, id }) => [seq, id])).toEqual([[1, "b"]]);
    });

    it("are kept up to a number of them", async () => {
      const moves = Array.from({ length: 400 }, (_, at) => copy(`${at}`));
      for (let times = 0; times < 3; times += 1) await append("long", moves);
      expect(await store.committed.workspaceEvents.ends("long")).toEqual({
        first: 1_200 - KEPT_WORKSPACE_EVENTS + 1,
        last: 1_200,
      });
    });
  });
});
