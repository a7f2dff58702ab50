// The packs that a node has near: read once, checked, linked into runs, and let go when there are too many.

import { randomBytes } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PackCache } from "../../../../src/service/checkouts/packs/pack-cache.ts";
import type { BlobStore } from "../../../../src/service/core/blobs/blob-store.ts";
import type { HeldPack } from "../../../../src/service/core/commits/held-pack.ts";
import { PackFixture } from "./pack-fixture.ts";

let fixture: PackFixture;
let reads: string[];
let blobs: BlobStore;

beforeEach(async () => {
  fixture = await PackFixture.make();
  reads = [];
  blobs = {
    ...fixture.blobs,
    get: async (key, options) => {
      reads.push(key);
      return await fixture.blobs.get(key, options);
    },
  };
});

afterEach(() => fixture.remove());

async function heldPack(): Promise<HeldPack> {
  const sha = fixture.repository.commit({ files: { "a.bin": randomBytes(20_000) } });
  return await fixture.hold(fixture.kept(), sha, { pack: fixture.pack([sha]) });
}

const cacheOf = (maxBytes = 1_000_000) =>
  new PackCache({ folder: join(fixture.folder, "cache"), maxBytes, blobs });
const link = (cache: PackCache, packs: readonly HeldPack[], run: string) =>
  cache.link(packs, join(fixture.folder, run), AbortSignal.timeout(30_000));
const namesIn = async (folder: string) => (await readdir(join(fixture.folder, folder))).sort();

it("reads a pack once for all runs that want it, also at the same time", async () => {
  const pack = await heldPack();
  const cache = cacheOf();
  await Promise.all(["run-1", "run-2", "run-3"].map((run) => link(cache, [pack], run)));
  await link(cache, [pack], "run-4");
  expect(reads).toEqual([pack.pack.key, pack.index.key]);
  expect(await namesIn("run-4")).toEqual([`pack-${pack.id}.idx`, `pack-${pack.id}.pack`]);
});

it("lets the least recently used go, which runs keep, and reads it again", async () => {
  const [one, two] = [await heldPack(), await heldPack()];
  const cache = cacheOf(one.bytes + 100);
  await link(cache, [one], "run-1");
  await link(cache, [two], "run-2");
  expect(await namesIn("cache")).toEqual([`pack-${two.id}.idx`, `pack-${two.id}.pack`]);
  expect(await namesIn("run-1")).toHaveLength(2);
  await link(cache, [one], "run-3");
  expect(reads.filter((key) => key === one.pack.key)).toHaveLength(2);
  // What a run needs at once may be more than is kept.
  await link(cache, [one, two], "run-4");
  expect(await namesIn("run-4")).toHaveLength(4);
});

it("says so where a pack is kept and its index is gone", async () => {
  const pack = await heldPack();
  const cache = cacheOf();
  await link(cache, [pack], "run-1");
  await rm(join(fixture.folder, "cache", `pack-${pack.id}.idx`));
  await expect(link(cache, [pack], "run-2")).rejects.toThrow("ENOENT");
});

it("takes no blob that is another than was written, and leaves nothing of it", async () => {
  const pack = await heldPack();
  const path = join(fixture.folder, "blobs", pack.pack.key);
  await rm(path);
  for (const bytes of [pack.pack.bytes, pack.pack.bytes - 1, pack.pack.bytes + 1]) {
    await writeFile(path, randomBytes(bytes));
    await expect(link(cacheOf(), [pack], "run-1")).rejects.toThrow("is not what was written");
    expect(await namesIn("cache")).toEqual([]);
  }
});

it("says which setting is to blame where a blob is not there", async () => {
  const pack = await heldPack();
  await rm(join(fixture.folder, "blobs", pack.pack.key));
  const linking = link(cacheOf(), [pack], "run-1");
  await expect(linking).rejects.toMatchObject({ name: "ContentsLostError" });
  await expect(linking).rejects.toThrow(/BLOB_DIR/);
});
