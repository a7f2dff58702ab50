// What every store of blobs must do, run on each of them.

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderBlobs } from "../../../src/service/blobs/folder.ts";
import { s3Blobs } from "../../../src/service/blobs/s3.ts";
import { type BlobStore, BlobStoreError, type NewBlob } from "../../../src/service/core/blobs/blob-store.ts";
import { blobOf } from "../../support/blob-of.ts";
import { instantClock } from "../../support/clocks/instant-clock.ts";
import { startS3Server } from "../../support/s3-server.ts";

type Place = { readonly blobs: BlobStore; remove(): Promise<void> };

const kinds: Readonly<Record<string, () => Promise<Place>>> = {
  "a folder": async () => {
    const folder = await mkdtemp(join(tmpdir(), "agent-service-blobs-"));
    return {
      blobs: folderBlobs(join(folder, "made", "when", "needed")),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
  "an S3 server": async () => {
    const server = await startS3Server();
    return {
      blobs: s3Blobs({ config: server.config, clock: instantClock(), random: () => 0 }),
      remove: server.stop,
    };
  },
};

async function textOf(blobs: BlobStore, key: string, range?: { start: number; end: number }) {
  const blob = await blobs.get(key, range === undefined ? {} : { range });
  if (blob === null) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of blob.content) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  expect(bytes.length).toBe(blob.size);
  return bytes.toString("latin1");
}

for (const [name, make] of Object.entries(kinds)) {
  describe(`blobs in ${name}`, () => {
    let place: Place;

    beforeEach(async () => {
      place = await make();
    });

    afterEach(async () => {
      await place.remove();
    });

    it("are there once they are written, and not before", async () => {
      const { blobs } = place;
      expect(await blobs.get("packs/ab/one.pack")).toBeNull();
      expect(await blobs.head("packs/ab/one.pack")).toBeNull();
      await blobs.put(blobOf("packs/ab/one.pack", "hello"));
      expect(await blobs.head("packs/ab/one.pack")).toEqual({ size: 5 });
      expect(await textOf(blobs, "packs/ab/one.pack")).toBe("hello");
      expect(await blobs.get("packs/ab/one")).toBeNull();
      expect(await blobs.get("packs/ab")).toBeNull();
    });

    it("are written again with the same bytes, and may be empty", async () => {
      const { blobs } = place;
      for (let turn = 0; turn < 2; turn += 1) await blobs.put(blobOf("a", "same"));
      await blobs.put(blobOf("b", ""));
      expect([await textOf(blobs, "a"), await textOf(blobs, "b")]).toEqual(["same", ""]);
    });

    it("give parts of themselves", async () => {
      const { blobs } = place;
      await blobs.put(blobOf("digits", "0123456789"));
      expect(await textOf(blobs, "digits", { start: 2, end: 5 })).toBe("234");
      expect(await textOf(blobs, "digits", { start: 8, end: 100 })).toBe("89");
      expect(await textOf(blobs, "digits", { start: 10, end: 20 })).toBe("");
      expect(await textOf(blobs, "digits", { start: 3, end: 3 })).toBe("");
    });

    it("are streamed, whatever their size", async () => {
      const { blobs } = place;
      const bytes = Buffer.alloc(20_000_000, "0123456789abcdef\xff\0", "latin1");
      await blobs.put(blobOf("large", bytes));
      expect(await textOf(blobs, "large")).toBe(bytes.toString("latin1"));
    });

    it("are deleted, whether they are there or not", async () => {
      const { blobs } = place;
      const keys = Array.from({ length: 20 }, (_, at) => `some/${at}`);
      for (const key of keys) await blobs.put(blobOf(key, key));
      await blobs.delete([...keys, "none/there"]);
      for (const key of keys) expect(await blobs.get(key)).toBeNull();
      await blobs.delete(keys);
    });

    it("are not written where the source breaks off, or is shorter than it says", async () => {
      const { blobs } = place;
      const broken: NewBlob = {
        key: "broken",
        size: 1_000_000,
        open: async function* () {
          yield Buffer.alloc(10);
          throw new Error("the source is gone");
        },
      };
      const short = { ...blobOf("short", "abc"), size: 5 };
      for (const one of [broken, short]) {
        await expect(blobs.put(one)).rejects.toThrow();
        // This S3 server, unlike S3, keeps a file of what broke off.
        if (name === "a folder") expect(await blobs.get(one.key)).toBeNull();
      }
    });

    it.each([
      "",
      "/",
      "../x",
      "a/../b",
      "a//b",
      ".hidden",
      "a/.git",
      "a b",
      "a\0",
      "a\\b",
      "/etc/passwd",
      "a/",
    ])("have no key %j", async (key) => {
      const { blobs } = place;
      await expect(async () => await blobs.put(blobOf(key, "x"))).rejects.toThrow(TypeError);
      await expect(async () => await blobs.get(key)).rejects.toThrow(TypeError);
      await expect(async () => await blobs.head(key)).rejects.toThrow(TypeError);
      await expect(async () => await blobs.delete([key])).rejects.toThrow(TypeError);
    });
  });
}

describe("a folder of blobs", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "agent-service-blobs-"));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it("loses with a blob what an unfinished write of it has left", async () => {
    const blobs = folderBlobs(folder);
    await blobs.put(blobOf("a/b", "x"));
    await writeFile(join(folder, "a", "b.part"), "half");
    await blobs.delete(["a/b"]);
    expect(await readdir(join(folder, "a"))).toEqual([]);
  });

  it("says which setting names it when it cannot be used", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const putting = folderBlobs(file).put(blobOf("a/b", "x"));
    await expect(putting).rejects.toThrow(BlobStoreError);
    await expect(putting).rejects.toThrow(/BLOB_DIR/);
  });
});
