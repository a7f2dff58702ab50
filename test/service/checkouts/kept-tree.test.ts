// A tree that is kept as a pack and brought back in another checkout of its commit: nothing of it is lost, nothing of it is executed.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Checkout, CheckoutError, type KeptTree } from "../../../src/service/core/checkouts/checkout.ts";
import { CheckoutFixture } from "./checkout-fixture.ts";
import { keep, passOn, write } from "./kept-tree-fixture.ts";

const LARGE_BYTES = 6_000_000;
let fixture: CheckoutFixture;
let base: string;

beforeAll(async () => {
  fixture = await CheckoutFixture.make();
  base = fixture.repository.commit({
    files: {
      "README.md": "# Fixture\n",
      "src/a.ts": "export const a = 1;\n",
      "src/b.ts": "export const b = 2;\n",
      "src/deep/c.ts": "export const c = 3;\n",
      "image.bin": Buffer.from([0, 1, 2, 3, 255]),
      "latin1.txt": Buffer.from("caf\xe9\n", "latin1"),
      "kept.log": "tracked, and ignored\n",
      ".gitignore": "ignored/\n*.log\n",
      ".gitattributes": "*.ts filter=evil diff=evil\n*.crlf text eol=crlf\n",
      vendor: { submodule: "1".repeat(40) },
    },
  });
});

afterAll(() => fixture.close());

let runs = 0;
async function open(sha = base): Promise<Checkout> {
  runs += 1;
  return await fixture.open(sha, { source: { runId: `run-${runs}` } });
}

/** A second checkout, with what `first` holds. */
async function passOnToNew(first: Checkout): Promise<Checkout> {
  const second = await open();
  await passOn(first, second);
  return second;
}

describe("a kept tree", () => {
  it("comes back with texts, binaries, modes, links, new folders, and without what was deleted or moved", async () => {
    const first = await open();
    const at = (path: string) => join(first.root, path);
    await write(first, {
      "src/a.ts": "export const a = 9;\n",
      "image.bin": Buffer.from([9, 0, 9]),
      "latin1.txt": Buffer.from("th\xe9\n", "latin1"),
      "new/folder/of mine.txt": "one\ntwo\n",
      "windows.crlf": "one\r\ntwo\n",
      ".github/workflows/ci.yml": "on: push\n",
    });
    await rm(at("src/b.ts"));
    await rename(at("src/deep/c.ts"), at("moved.ts"));
    await chmod(at("README.md"), 0o755);
    await symlink("../../etc/passwd", at("link"));
    const second = await passOnToNew(first);
    const there = (path: string) => join(second.root, path);
    expect(await readFile(there("image.bin"))).toEqual(Buffer.from([9, 0, 9]));
    expect(await readFile(there("windows.crlf"), "utf8")).toBe("one\r\ntwo\n");
    expect(await readFile(there(".github/workflows/ci.yml"), "utf8")).toBe("on: push\n");
    expect(await readlink(there("link"))).toBe("../../etc/passwd");
    expect((await lstat(there("README.md"))).mode & 0o111).toBe(0o111);
    expect(existsSync(there("src/b.ts"))).toBe(false);
    expect(existsSync(there("src/deep"))).toBe(false);
  });

  it("is null where nothing changed since, and once more after a change that was undone", async () => {
    const checkout = await open();
    expect(await checkout.keepTree(null)).toBeNull();
    await write(checkout, { "src/a.ts": "export const a = 2;\n" });
    const kept = await keep(checkout);
    expect(await checkout.keepTree(kept.tree)).toBeNull();
    expect(kept.pack.byteLength).toBeLessThan(2000);
    await write(checkout, { "src/a.ts": "export const a = 1;\n" });
    expect(await checkout.keepTree(null)).toBeNull();
    const undone = await keep(checkout, kept.tree);
    const second = await open();
    await write(second, { "src/a.ts": "export const a = 3;\n" });
    await second.bringBack(undone);
    expect(await readFile(join(second.root, "src/a.ts"), "utf8")).toBe("export const a = 1;\n");
  });

  it("is whole in the latest pack alone, whatever was changed, deleted and made again between calls", async () => {
    const first = await open();
    const at = (path: string) => join(first.root, path);
    await write(first, { "one.txt": "1\n", "two.txt": "2\n", "src/a.ts": "changed\n" });
    await keep(first);
    await rm(at("src"), { recursive: true });
    await rm(at("kept.log"));
    await write(first, { src: "a file\n" });
    await keep(first);
    await rm(at("src"));
    await rm(at("one.txt"));
    await write(first, { "src/a.ts": "again\n", "kept.log": "made again\n", "one.txt/in/it": "a folder\n" });
    await write(first, { ".gitignore": "ignored/\n*.log\ntwo.txt\n" });
    await rm(at("README.md"));
    const second = await passOnToNew(first);
    expect(await readFile(join(second.root, "kept.log"), "utf8")).toBe("made again\n");
    expect(existsSync(join(second.root, "two.txt"))).toBe(false);
    expect(existsSync(join(second.root, "README.md"))).toBe(false);
  });

  it("can be kept again where it was brought back", async () => {
    const first = await open();
    await write(first, { "new.txt": "new\n", "src/b.ts": "b\n" });
    const second = await passOnToNew(first);
    const { tree } = await keep(first);
    expect(await second.keepTree(tree)).toBeNull();
    await write(second, { "new.txt": "newer\n" });
    await rm(join(second.root, "src/a.ts"));
    const third = await passOnToNew(second);
    expect(await readFile(join(third.root, "src/b.ts"), "utf8")).toBe("b\n");
  });

  it("leaves alone what git ignores, and takes away new files that were made since", async () => {
    const checkout = await open();
    const at = (path: string) => join(checkout.root, path);
    await write(checkout, { "ignored/cache": "c\n", "out.log": "l\n", "src/a.ts": "changed\n" });
    const kept = await keep(checkout);
    await write(checkout, { "later/new.txt": "x\n", "src/a.ts": "later\n", "ignored/cache": "d\n" });
    await rm(at("src/b.ts"));
    await checkout.bringBack(kept);
    expect(existsSync(at("later"))).toBe(false);
    expect(await readFile(at("src/a.ts"), "utf8")).toBe("changed\n");
    expect(await readFile(at("src/b.ts"), "utf8")).toBe("export const b = 2;\n");
    expect(await readFile(at("ignored/cache"), "utf8")).toBe("d\n");
    expect(existsSync(at("out.log"))).toBe(true);
    const second = await open();
    await second.bringBack(kept);
    expect(existsSync(join(second.root, "ignored"))).toBe(false);
  });

  it("holds files that are too large for a patch", async () => {
    const first = await open();
    const large = Buffer.alloc(LARGE_BYTES, "0123456789abcdef\n");
    await write(first, { "large.txt": large, "src/a.ts": "changed\n" });
    const second = await passOnToNew(first);
    expect((await readFile(join(second.root, "large.txt"))).equals(large)).toBe(true);
  });

  it("does not disturb the changes that are reported", async () => {
    const checkout = await open();
    await write(checkout, { "src/a.ts": "changed\n", "new.txt": "new\n" });
    const index = join(checkout.gitFolder ?? "", "index");
    const before = await readFile(index);
    await keep(checkout);
    expect((await readFile(index)).equals(before)).toBe(true);
    const changes = await checkout.workingChanges();
    const staged = await readFile(index);
    await write(checkout, { "more.txt": "more\n" });
    await keep(checkout);
    expect((await readFile(index)).equals(staged)).toBe(true);
    await rm(join(checkout.root, "more.txt"));
    expect(await checkout.workingChanges()).toEqual(changes);
  });

  it("is kept by calls at the same time, one after another", async () => {
    const checkout = await open();
    await write(checkout, { "new.txt": "new\n" });
    const [one, two] = await Promise.all([checkout.keepTree(null), checkout.keepTree(null)]);
    expect(one).not.toBeNull();
    expect(two).toEqual(one);
  });
});

describe("a tree that cannot be kept or brought back", () => {
  it("stays as it was where the pack is damaged, cut, of another commit, or of another tree", async () => {
    const first = await open();
    await write(first, { "src/a.ts": "export const a = 1;\nexport const more = 2;\n", "new.txt": "n\n" });
    const { tree, pack } = await keep(first);
    const damaged = Uint8Array.from(pack, (byte, at) => (at === pack.length - 30 ? byte ^ 255 : byte));
    const second = await open();
    await write(second, { "mine.txt": "mine\n", "src/b.ts": "mine\n" });
    const before = await second.workingChanges();
    const faults: KeptTree[] = [
      { tree, pack: damaged },
      { tree, pack: pack.slice(0, 40) },
      { tree, pack: new Uint8Array() },
      { tree: "2".repeat(40), pack },
      { tree: "--help", pack },
    ];
    for (const fault of faults) {
      const brought = second.bringBack(fault);
      await expect(brought).rejects.toBeInstanceOf(CheckoutError);
      await expect(brought).rejects.toThrow(/^The tree could not be brought back\. /);
      expect(await second.workingChanges()).toEqual(before);
    }
    const other = await open(fixture.repository.commit({ files: { "other.txt": "other\n" } }));
    await expect(other.bringBack({ tree, pack })).rejects.toBeInstanceOf(CheckoutError);
    expect(await other.files()).toEqual(["other.txt"]);
    await second.bringBack({ tree, pack });
    expect(existsSync(join(second.root, "mine.txt"))).toBe(false);
    expect(await second.keepTree(tree)).toBeNull();
  });

  it("is told to be too large, and is kept again once it is not", async () => {
    const checkout = await open();
    const path = join(checkout.root, "huge.bin");
    execFileSync("truncate", ["--size=300M", path]);
    await expect(checkout.keepTree(null)).rejects.toThrow(
      "The tree could not be kept. The changed files are larger than this service keeps. Have git ignore large generated files.",
    );
    await rm(path);
    expect(await checkout.keepTree(null)).toBeNull();
  });

  it("rejects with the reason of a signal", async () => {
    const checkout = await open();
    await expect(checkout.keepTree(null, AbortSignal.abort(new Error("Stopped.")))).rejects.toThrow(
      "Stopped.",
    );
    expect(await checkout.keepTree(null)).toBeNull();
  });
});

describe("a tree that wants to act", () => {
  it("has no filter executed, neither when it is kept nor when it is brought back", async () => {
    const first = await open();
    const filter = join(fixture.folder, `filtered-${runs}`);
    for (const checkout of [first, await open()]) {
      for (const part of ["clean", "smudge", "process"]) {
        execFileSync("git", ["config", `filter.evil.${part}`, `touch ${filter}; cat`], {
          env: { ...process.env, GIT_DIR: checkout.gitFolder },
        });
      }
      await write(checkout, { "src/a.ts": "export const a = 5;\n", "n.ts": "n\n" });
      if (checkout !== first) await passOn(first, checkout);
    }
    expect(existsSync(filter)).toBe(false);
  });

  it("keeps no repository within, and leaves one that is there", async () => {
    const first = await open();
    execFileSync("git", ["init", "--quiet", join(first.root, "inner")]);
    await write(first, { "inner/file": "x\n", "src/a.ts": "changed\n" });
    const kept = await keep(first);
    const second = await open();
    await second.bringBack(kept);
    expect(existsSync(join(second.root, "inner"))).toBe(false);
    expect((await second.workingChanges()).patch).toBe((await first.workingChanges()).patch);
    await first.bringBack(kept);
    expect(await readFile(join(first.root, "inner/file"), "utf8")).toBe("x\n");
  });

  it("has nothing written or removed behind a link", async () => {
    const outside = join(fixture.folder, `outside-${runs}`);
    await mkdir(outside);
    await writeFile(join(outside, "a.ts"), "outside\n");
    const first = await open();
    await rm(join(first.root, "src"), { recursive: true });
    await symlink(outside, join(first.root, "src"));
    await passOnToNew(first);
    const second = await open();
    await write(second, { "src/a.ts": "changed\n" });
    await first.bringBack(await keep(second));
    expect(await readFile(join(first.root, "src/a.ts"), "utf8")).toBe("changed\n");
    expect(await readFile(join(outside, "a.ts"), "utf8")).toBe("outside\n");
  });
});
