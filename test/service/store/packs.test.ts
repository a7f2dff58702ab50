// Packs and blobs as rows, on each store: what is held, what may go, and that no blob is forgotten.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HeldPack } from "../../../src/service/core/commits/held-pack.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

const repository = { issuer: "https://issuer.example", id: "1" };
const other = { issuer: "https://issuer.example", id: "2" };

function packOf(id: string, changes: Partial<HeldPack> = {}): HeldPack {
  return {
    id,
    repository,
    tip: `tip-${id}`,
    shallow: ["s1", "s2"],
    bases: [],
    objects: 3,
    bytes: 100,
    pack: { key: `${id}.pack`, bytes: 90, sha256: "p" },
    index: { key: `${id}.idx`, bytes: 10, sha256: "i" },
    createdAt: 10,
    usedAt: 10,
    ...changes,
  };
}

onEveryStore((kind) => {
  describe("packs", () => {
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

    const reserve = (pack: HeldPack, now = 5) =>
      store.transact((tx) =>
        tx.packs.reserve({
          id: pack.id,
          repository: pack.repository,
          bytes: 70,
          now,
          packKey: pack.pack.key,
          indexKey: pack.index.key,
        }),
      );
    const hold = async (pack: HeldPack) => {
      await reserve(pack);
      return await store.transact((tx) => tx.packs.hold(pack));
    };
    const find = (tip: string, of = repository) => store.committed.packs.findHeld({ repository: of, tip });

    it("are held once they are said to be, by their repository alone", async () => {
      const pack = packOf("a");
      await reserve(pack);
      expect(await find("tip-a")).toBeNull();
      expect(await store.committed.packs.countBytes(repository)).toBe(70);
      expect(await store.transact((tx) => tx.packs.hold(pack))).toBe(true);
      expect(await find("tip-a")).toEqual(pack);
      expect(await find("tip-a", other)).toBeNull();
      expect(await store.committed.packs.listByIds({ repository: other, ids: ["a"] })).toEqual([]);
      expect(await store.committed.packs.listByIds({ repository, ids: ["a", "b"] })).toEqual([pack]);
      expect(await store.committed.packs.countBytes(repository)).toBe(100);
      expect(await store.committed.packs.countBytes(other)).toBe(0);
    });

    it("are held once, and not after their place is gone", async () => {
      const pack = packOf("a");
      expect(await hold(pack)).toBe(true);
      expect(await store.transact((tx) => tx.packs.hold(pack))).toBe(false);
      await reserve(packOf("b"));
      await store.transact((tx) => tx.packs.delete({ ids: ["b"], now: 6 }));
      expect(await store.transact((tx) => tx.packs.hold(packOf("b")))).toBe(false);
    });

    it("of one commit are found by the newest", async () => {
      await hold(packOf("a", { tip: "same", createdAt: 1 }));
      await hold(packOf("b", { tip: "same", createdAt: 2 }));
      expect((await find("same"))?.id).toBe("b");
      const newest = await store.committed.packs.listHeld({ repository, limit: 1 });
      expect(newest.map(({ id }) => id)).toEqual(["b"]);
    });

    it("leave their blobs to be deleted, and are forgotten with them", async () => {
      await hold(packOf("a"));
      expect(await store.committed.blobs.listDiscarded(10)).toEqual([]);
      await store.transact((tx) => tx.packs.delete({ ids: ["a", "unknown"], now: 7 }));
      expect(await find("tip-a")).toBeNull();
      expect(await store.committed.blobs.listDiscarded(10)).toEqual(["a.idx", "a.pack"]);
      await store.transact((tx) => tx.blobs.forget(["a.idx", "a.pack"]));
      expect(await store.committed.blobs.listDiscarded(10)).toEqual([]);
      expect(await place.query("select * from blobs")).toEqual([]);
    });

    it("that nobody has used go, the oldest first, and none before what builds on it", async () => {
      await hold(packOf("base", { usedAt: 10, createdAt: 1 }));
      await hold(packOf("thin", { bases: ["base"], usedAt: 10, createdAt: 2 }));
      await hold(packOf("used", { usedAt: 50 }));
      const step = { usedBefore: 40, begunBefore: 0, now: 60, limit: 1 };
      const oldest = await store.committed.packs.listOldest(repository);
      expect(oldest.map(({ id }) => id)).toEqual(["thin", "base", "used"]);
      expect(await store.transact((tx) => tx.packs.deleteUnused(step))).toBe(1);
      expect([await find("tip-thin"), (await find("tip-base"))?.id]).toEqual([null, "base"]);
      expect(await store.transact((tx) => tx.packs.deleteUnused({ ...step, limit: 10 }))).toBe(1);
      expect(await store.transact((tx) => tx.packs.deleteUnused(step))).toBe(0);
      expect((await find("tip-used"))?.id).toBe("used");
    });

    it("of one moment go by their names, the last first", async () => {
      for (const id of ["b", "c", "a"]) await hold(packOf(id));
      const oldest = await store.committed.packs.listOldest(repository);
      expect(oldest.map(({ id }) => id)).toEqual(["c", "b", "a"]);
    });

    it("that were never finished go, with what was written of them", async () => {
      await reserve(packOf("a"), 5);
      await reserve(packOf("b"), 90);
      const step = { usedBefore: 0, begunBefore: 50, now: 100, limit: 10 };
      expect(await store.transact((tx) => tx.packs.deleteUnused(step))).toBe(1);
      expect(await store.committed.blobs.listDiscarded(10)).toEqual(["a.idx", "a.pack"]);
      expect(await store.transact((tx) => tx.packs.hold(packOf("b")))).toBe(true);
    });

    it("are used together, or one of them is said to be gone", async () => {
      await hold(packOf("a"));
      await hold(packOf("b"));
      expect(await store.transact((tx) => tx.packs.touch({ ids: ["a", "b"], now: 20 }))).toBe(true);
      expect((await find("tip-a"))?.usedAt).toBe(20);
      // Another node's clock may be behind.
      expect(await store.transact((tx) => tx.packs.touch({ ids: ["a"], now: 15 }))).toBe(true);
      expect((await find("tip-a"))?.usedAt).toBe(20);
      expect(await store.transact((tx) => tx.packs.touch({ ids: ["a", "c"], now: 30 }))).toBe(false);
      await reserve(packOf("d"));
      expect(await store.transact((tx) => tx.packs.touch({ ids: ["d"], now: 30 }))).toBe(false);
    });

    it("leave blobs that nobody finished to be deleted, whatever they were for", async () => {
      await store.transact((tx) => tx.blobs.begin({ keys: ["x", "y", "z"], now: 5 }));
      expect(await store.transact((tx) => tx.blobs.keep({ key: "y", bytes: 3, now: 6 }))).toBe(true);
      const step = { begunBefore: 50, now: 100, limit: 10 };
      expect(await store.transact((tx) => tx.blobs.discardUnfinished(step))).toBe(2);
      expect(await store.committed.blobs.listDiscarded(10)).toEqual(["x", "z"]);
      expect(await store.transact((tx) => tx.blobs.keep({ key: "x", bytes: 3, now: 6 }))).toBe(false);
      await store.transact((tx) => tx.blobs.forget(["x", "y", "z"]));
      expect(await place.query("select key from blobs")).toEqual([{ key: "y" }]);
    });
  });
});
