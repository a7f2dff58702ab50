// Files as records of a pack: which of them are read, and which are not read again.

import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createGit } from "../../../../src/base/git/git.ts";
import { PackedFiles, PackTooLargeError } from "../../../../src/service/checkouts/kept/packed-files.ts";
import { ManualClock } from "../../../support/clocks/manual-clock.ts";

const A_MOMENT_MS = 3_000;
let folder: string;
let root: string;
let clock: ManualClock;
let files: PackedFiles;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "packed-files-"));
  root = join(folder, "tree");
  await mkdir(join(root, "in"), { recursive: true });
  clock = new ManualClock();
  files = new PackedFiles({ root, headSha: "0".repeat(40), maxPackBytes: 100_000, clock });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function pack(path: string, inCommit: ReadonlySet<string> = new Set()) {
  const git = createGit({ environment: process.env, home: folder, gitFolder: folder, treeFolder: root });
  const about = lstatSync(join(root, path));
  const { signal } = new AbortController();
  return async () =>
    (await files.pack({ git, signal }, [{ path, about, before: null }], inCommit)).get(path) ?? null;
}

it("reads a file again until its time tells every change, and from then on when it changed", async () => {
  await writeFile(join(root, "a.txt"), "one\n");
  const first = await (await pack("a.txt"))();
  expect(first?.oid).toBe(createHash("sha1").update("blob 4\0one\n").digest("hex"));
  const atOnce = await (await pack("a.txt"))();
  expect(atOnce?.record).not.toBe(first?.record);
  clock.advance(A_MOMENT_MS);
  const later = await (await pack("a.txt"))();
  expect(later?.record).not.toBe(first?.record);
  expect((await (await pack("a.txt"))())?.record).toBe(later?.record);
  await writeFile(join(root, "a.txt"), "two\n");
  const changed = await (await pack("a.txt"))();
  expect(changed?.oid).toBe(createHash("sha1").update("blob 4\0two\n").digest("hex"));
});

it("makes no record of an object that the commit has, and makes it once the commit is not known to have it", async () => {
  await writeFile(join(root, "a.txt"), "one\n");
  const oid = createHash("sha1").update("blob 4\0one\n").digest("hex");
  for (let times = 0; times < 3; times += 1) {
    expect(await (await pack("a.txt", new Set([oid])))()).toMatchObject({ oid, record: null });
    clock.advance(A_MOMENT_MS);
  }
  expect((await (await pack("a.txt"))())?.record).toBeInstanceOf(Buffer);
});

it("reads nothing behind a link that took a folder's or a file's place after it was found", async () => {
  await writeFile(join(root, "in/a.txt"), "mine\n");
  const packInside = await pack("in/a.txt");
  await mkdir(join(folder, "outside"));
  await writeFile(join(folder, "outside/a.txt"), "secret\n");
  await rename(join(root, "in"), join(root, "was"));
  await symlink(join(folder, "outside"), join(root, "in"));
  expect(await packInside()).toBeNull();
  await writeFile(join(root, "b.txt"), "mine\n");
  const packFile = await pack("b.txt");
  await rm(join(root, "b.txt"));
  await symlink(join(folder, "outside/a.txt"), join(root, "b.txt"));
  expect(await packFile()).toBeNull();
  await rm(join(root, "b.txt"));
  expect(await packFile()).toBeNull();
});

it("names a file that is larger than what is held in memory, and refuses what a pack may not hold", async () => {
  const large = Buffer.alloc(5_000_000, "0123456789abcdef\n");
  await writeFile(join(root, "large.txt"), large);
  const packed = await (await pack("large.txt"))();
  const head = createHash("sha1").update(`blob ${large.length}\0`);
  expect(packed?.oid).toBe(head.update(large).digest("hex"));
  const noise = Buffer.alloc(200_000);
  for (let at = 0; at < noise.length; at += 1) noise[at] = (at * at * 2_654_435_761) >>> 13;
  await writeFile(join(root, "noise.bin"), noise);
  await expect((await pack("noise.bin"))()).rejects.toBeInstanceOf(PackTooLargeError);
});
