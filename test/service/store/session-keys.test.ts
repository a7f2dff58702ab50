// Keys of sessions, on each store.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

onEveryStore((kind) => {
  describe("session keys", () => {
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

    const take = (sessionId: string, key = "k", agentId = "agent-1") =>
      store.transact((tx) => tx.sessions.insertKey({ agentId, key, sessionId, createdAt: 1_000 }));
    const find = (key = "k", agentId = "agent-1") => store.committed.sessions.findByKey({ agentId, key });

    it("lead to the session that took them first", async () => {
      expect(await find()).toBeNull();
      expect(await take("session-1")).toBe(true);
      expect(await take("session-2")).toBe(false);
      expect(await find()).toBe("session-1");
      expect([await find("K"), await find("k", "agent-2")]).toEqual([null, null]);
      expect(await take("session-2", "k", "agent-2")).toBe(true);
    });

    it("are one's, of many who take them at once", async () => {
      const takes = await Promise.all(Array.from({ length: 12 }, (_, index) => take(`session-${index}`)));
      expect(takes.filter((isTaken) => isTaken)).toHaveLength(1);
      expect(await find()).toBe(`session-${takes.indexOf(true)}`);
    });

    it("are freed one by one", async () => {
      await take("session-1");
      await take("session-1", "other");
      await store.transact((tx) => tx.sessions.deleteKey({ agentId: "agent-1", key: "k" }));
      await store.transact((tx) => tx.sessions.deleteKey({ agentId: "agent-1", key: "unknown" }));
      expect([await find(), await find("other")]).toEqual([null, "session-1"]);
      expect(await take("session-2")).toBe(true);
    });

    it("are free again after a transaction that was undone", async () => {
      const undone = store.transact(async (tx) => {
        await tx.sessions.insertKey({
          agentId: "agent-1",
          key: "k",
          sessionId: "session-1",
          createdAt: 1_000,
        });
        throw new Error("Undo it.");
      });
      await expect(undone).rejects.toThrow("Undo it.");
      expect(await find()).toBeNull();
      expect(await take("session-2")).toBe(true);
    });

    it("are freed for a whole agent, and for no other", async () => {
      for (const key of ["a", "b"]) await take("session-1", key);
      await take("session-2", "a", "agent-2");
      expect(await store.transact((tx) => tx.sessions.deleteKeys("agent-1"))).toBe(2);
      expect(await store.transact((tx) => tx.sessions.deleteKeys("agent-1"))).toBe(0);
      expect([await find("a"), await find("b"), await find("a", "agent-2")]).toEqual([
        null,
        null,
        "session-2",
      ]);
    });

    it("take any text that is no NUL", async () => {
      const key = "session-é 🧵 ' ; \\ %_\n".padEnd(255, "x");
      expect(await take("session-1", key)).toBe(true);
      expect(await find(key)).toBe("session-1");
    });
  });
});
