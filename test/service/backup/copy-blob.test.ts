// A blob is copied whole and as the store says it is, or the copy says why not. Real folders.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyBlob, findFault, readHash } from "../../../src/service/backup/copy-blob.ts";
import { folderBlobs } from "../../../src/service/blobs/folder.ts";

const CONTENT = "what was written\n";
const SHA256 = createHash("sha256").update(CONTENT).digest("hex");
const OTHER = createHash("sha256").update("other").digest("hex");
const blob = { key: "packs/one", bytes: CONTENT.length, sha256: SHA256 };

let root: string;
const folder = (name: string) => join(root, name);
const from = () => folderBlobs(folder("from"));

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "copy-blob-"));
  const content = new TextEncoder().encode(CONTENT);
  const write = async function* () {
    yield content;
  };
  for (const key of ["packs/one", "packs/two"]) await from().put({ key, size: content.length, open: write });
  await writeFile(folder("file"), "");
});
afterAll(() => rm(root, { recursive: true }));

describe("copyBlob", () => {
  it("copies it whole, and once more without harm", async () => {
    for (const _ of ["first", "again"]) {
      const copied = await copyBlob({ from: from(), to: folderBlobs(folder("whole")), blob });
      expect(copied).toEqual({ type: "copied", sha256: SHA256 });
      expect(await readFile(folder("whole/packs/one"), "utf8")).toBe(CONTENT);
    }
  });

  it("says the hash of one that the store has none of", async () => {
    const copy = { from: from(), to: folderBlobs(folder("hashed")), blob: { ...blob, sha256: null } };
    expect(await copyBlob(copy)).toEqual({ type: "copied", sha256: SHA256 });
  });

  it.each([
    ["missing", { ...blob, key: "packs/none" }],
    ["size", { ...blob, bytes: CONTENT.length + 1 }],
    ["size", { ...blob, bytes: CONTENT.length - 1 }],
    ["contents", { ...blob, sha256: OTHER }],
  ])("copies nothing where its fault is: %s", async (fault, faulty) => {
    const to = folder(`faulty-${fault}-${faulty.bytes}`);
    expect(await copyBlob({ from: from(), to: folderBlobs(to), blob: faulty })).toEqual({
      type: "faulty",
      fault,
    });
    expect(existsSync(join(to, faulty.key))).toBe(false);
    expect(existsSync(join(to, `${faulty.key}.part`))).toBe(false);
  });

  it("rejects where it cannot be written", async () => {
    const copy = { from: from(), to: folderBlobs(folder("file")), blob };
    await expect(copyBlob(copy)).rejects.toThrow(/EEXIST|ENOTDIR/);
  });
});

it("finds a fault without reading, and reads the hash that the contents have", async () => {
  expect(await findFault(from(), blob)).toBeNull();
  expect(await findFault(from(), { ...blob, key: "packs/none" })).toBe("missing");
  expect(await findFault(from(), { ...blob, bytes: 1 })).toBe("size");
  expect(await readHash(from(), blob)).toEqual({ sha256: SHA256, fault: null });
  expect(await readHash(from(), { ...blob, sha256: OTHER })).toEqual({ sha256: SHA256, fault: "contents" });
  expect(await readHash(from(), { ...blob, bytes: 1 })).toMatchObject({ fault: "size" });
  expect(await readHash(from(), { ...blob, key: "packs/none" })).toMatchObject({ fault: "size" });
});
