// What a pack that a job sends is checked for, by the system's git.

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chunks, PackFixture, refusalOf, varint, writePack } from "./pack-fixture.ts";

let fixture: PackFixture;

beforeEach(async () => {
  fixture = await PackFixture.make();
});

afterEach(async () => {
  expect(await fixture.leftOvers()).toEqual([]);
  await fixture.remove();
});

const files = (text: string) => ({ "a.txt": text, "src/b.txt": "the same ".repeat(500) });

/** A history of that many commits, oldest first. */
function history(count: number): string[] {
  const shas: string[] = [];
  for (let day = 0; day < count; day += 1) {
    const parents = shas.slice(-1);
    shas.push(fixture.repository.commit({ files: files(`day ${day}`), parents, day }));
  }
  return shas;
}

describe("a pack", () => {
  it("is taken whole, and shows where its history ends", async () => {
    const [, second = "", third = "", fourth = ""] = history(4);
    const kept = fixture.kept();
    const whole = await fixture.send(kept, fourth, { pack: fixture.pack([fourth]) });
    expect(whole.ok && whole.value).toMatchObject({ objects: 4 + 4 + 1 + 4 + 1, shallow: [] });
    if (whole.ok) await whole.value.close();
    const pack = fixture.pack([fourth, `--shallow ${third}`]);
    const recent = await fixture.send(kept, fourth, { pack });
    expect(recent.ok && recent.value).toMatchObject({ shallow: [third] });
    if (recent.ok) await recent.value.close();
    expect(second).not.toBe("");
  });

  it("is thin where the service holds what it builds on", async () => {
    const [first = "", second = "", third = ""] = history(3);
    const kept = fixture.kept();
    const base = await fixture.hold(kept, second, { pack: fixture.pack([second, `--shallow ${second}`]) });
    expect(base.shallow).toEqual([second]);
    const pack = fixture.pack([third, `^${second}`]);
    expect(pack.length).toBeLessThan(base.pack.bytes);
    const held = await fixture.hold(kept, third, { pack, bases: [base] });
    expect(held).toMatchObject({ shallow: [second], bases: [base.id] });
    // A commit that is held in the history of another is sent as a pack of nothing.
    const nothing = fixture.pack([second, `^${third}`]);
    expect(nothing.length).toBe(32);
    expect(await fixture.hold(kept, second, { pack: nothing, bases: [base, held] })).toMatchObject({
      objects: 0,
      shallow: [second],
    });
    expect(first).not.toBe("");
  });

  it("of two histories that meet ends where either lacks a parent", async () => {
    const [root = "", left = ""] = history(2);
    const right = fixture.repository.commit({ files: files("right"), parents: [root], day: 3 });
    const merge = fixture.repository.commit({ files: files("merged"), parents: [left, right], day: 4 });
    const pack = fixture.pack([merge, `--shallow ${left}`, `--shallow ${right}`]);
    const held = await fixture.hold(fixture.kept(), merge, { pack });
    expect(held.shallow).toEqual([left, right].sort());
  });

  it("may be one of SHA-256", async () => {
    fixture.repository.git(["init", "-q", "--bare", "--object-format=sha256", "../other.git"]);
    const other = { env: { GIT_DIR: "../other.git", ...person } };
    const tree = fixture.repository.git(["mktree"], { input: "", ...other });
    const sha = fixture.repository.git(["commit-tree", tree, "-m", "first"], other);
    fixture.repository.git(["update-ref", "refs/heads/main", sha], other);
    const file = "../other.pack";
    fixture.repository.git(["pack-objects", "-q", "--revs", "--all", file], other);
    const folder = join(fixture.repository.path, "..");
    const [name = ""] = (await readdir(folder)).filter((one) => one.endsWith(".pack"));
    const pack = await readFile(join(folder, name));
    expect(sha).toHaveLength(64);
    expect(await fixture.hold(fixture.kept(), sha, { pack })).toMatchObject({ objects: 2, shallow: [] });
  });
});

const person = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@b.c",
};

describe("a pack that is refused", () => {
  it.each([
    ["is no pack", () => Buffer.from("GIF89a, and more than twelve bytes")],
    ["is shorter than its header", () => Buffer.from("PACK")],
    ["is cut off", (pack: Buffer) => pack.subarray(0, pack.length - 30)],
    ["has a wrong checksum", (pack: Buffer) => Buffer.concat([pack.subarray(0, -20), Buffer.alloc(20)])],
    ["has a changed byte", (pack: Buffer) => Buffer.from(pack).fill(0x55, 40, 44)],
    ["goes on after its end", (pack: Buffer) => Buffer.concat([pack, Buffer.alloc(100)])],
    ["has fewer objects than it says", (pack: Buffer) => Buffer.from(pack).fill(0x09, 11, 12)],
  ])("%s", async (_what, change) => {
    const [sha = ""] = history(1);
    const pack = change(fixture.pack([sha]));
    expect(refusalOf(await fixture.send(fixture.kept(), sha, { pack }))).toMatchObject({
      reason: "pack_malformed",
    });
  });

  it("has fewer bytes than were announced, or more", async () => {
    const [sha = ""] = history(1);
    const pack = fixture.pack([sha]);
    for (const size of [pack.length + 1, pack.length - 1]) {
      expect(refusalOf(await fixture.send(fixture.kept(), sha, { pack, size })).reason).toBe(
        "pack_malformed",
      );
    }
  });

  it("is thin, without what it builds on", async () => {
    const [first = "", second = ""] = history(2);
    const pack = fixture.pack([second, `^${first}`]);
    expect(refusalOf(await fixture.send(fixture.kept(), second, { pack })).reason).toMatch(
      /^(pack_malformed|object_absent)$/,
    );
  });

  it("does not hold the commit, or holds something else by its name", async () => {
    const [first = "", second = ""] = history(2);
    const pack = fixture.pack([first]);
    expect(refusalOf(await fixture.send(fixture.kept(), second, { pack })).reason).toBe("commit_absent");
    const blob = fixture.repository.git(["rev-parse", `${first}:a.txt`]);
    expect(refusalOf(await fixture.send(fixture.kept(), blob, { pack })).reason).toBe("commit_absent");
    const tree = fixture.repository.git(["rev-parse", `${first}^{tree}`]);
    expect(refusalOf(await fixture.send(fixture.kept(), tree, { pack })).reason).toBe("commit_absent");
  });

  it("lacks a file or a folder, also one that an older commit has", async () => {
    const [first = "", second = ""] = history(2);
    const without = (absent: string) => {
      const names = fixture.repository
        .git(["rev-list", "--objects", "--no-object-names", second])
        .split("\n");
      const input = `${names.filter((name) => name !== absent).join("\n")}\n`;
      return { names, pack: fixture.packObjects(input, []) };
    };
    for (const path of [`${second}:a.txt`, `${second}:src`, `${second}^{tree}`, `${first}:a.txt`]) {
      const { names, pack } = without(fixture.repository.git(["rev-parse", path]));
      expect(names.length).toBeGreaterThan(7);
      expect(refusalOf(await fixture.send(fixture.kept(), second, { pack })).reason, path).toBe(
        "object_absent",
      );
    }
  });

  it.each([
    ["..", "hasDotdot"],
    [".", "hasDot"],
    [".git", "hasDotgit"],
    [".GIT", "hasDotgit"],
    ["git~1", "hasDotgit"],
    [".g\u200cit", "hasDotgit"],
    ["a/b", "fullPathname"],
  ])("has the entry %j in a tree", async (name, fault) => {
    const { repository } = fixture;
    const blob = repository.blob("evil");
    const inner = repository.tree([{ mode: "100644", name: "config", sha: blob }]);
    const tree = repository.tree([{ mode: "40000", name, sha: inner }]);
    const sha = repository.commitTree(tree, {});
    const refusal = refusalOf(await fixture.send(fixture.kept(), sha, { pack: fixture.pack([sha]) }));
    expect(refusal).toMatchObject({ reason: "object_refused" });
    expect(refusal).toHaveProperty("detail", expect.stringMatching(new RegExp(fault, "i")));
  });

  it("has the entry twice, or out of order", async () => {
    const { repository } = fixture;
    const sha = repository.blob("x");
    for (const names of [
      ["a", "a"],
      ["b", "a"],
    ]) {
      const tree = repository.tree(names.map((name) => ({ mode: "100644" as const, name, sha })));
      const commit = repository.commitTree(tree, {});
      const pack = fixture.pack([commit]);
      expect(refusalOf(await fixture.send(fixture.kept(), commit, { pack })).reason).toBe("object_refused");
    }
  });

  it("says that it has more objects than are taken, before they are read", async () => {
    const pack = writePack([{ type: 3, content: Buffer.from("x") }], { count: 4_000_000_000 });
    let read = 0;
    const content = async function* () {
      for await (const chunk of chunks(Buffer.concat([pack, Buffer.alloc(5_000_000)]))) {
        read += chunk.length;
        yield chunk;
      }
    };
    const sending = fixture.send(fixture.kept(), "0".repeat(40), {
      pack,
      size: 5_000_000 + pack.length,
      content: content(),
    });
    expect(refusalOf(await sending)).toMatchObject({ reason: "contents_too_large" });
    expect(read).toBeLessThan(200_000);
  });

  it("has more commits than are taken", async () => {
    const shas = history(12);
    const kept = fixture.kept({ limits: { maxCommits: 10 } });
    const pack = fixture.pack([shas.at(-1) ?? ""]);
    expect(refusalOf(await fixture.send(kept, shas.at(-1) ?? "", { pack })).reason).toBe(
      "contents_too_large",
    );
  });

  it("has files that are too large together, by few bytes of a pack", async () => {
    const { repository } = fixture;
    const zeros = repository.blob(Buffer.alloc(10_000_000));
    const names = ["a", "b", "c", "d", "e", "f"];
    const tree = repository.tree(names.map((name) => ({ mode: "100644" as const, name, sha: zeros })));
    const sha = repository.commitTree(tree, {});
    const pack = fixture.pack([sha]);
    expect(pack.length).toBeLessThan(20_000);
    expect(refusalOf(await fixture.send(fixture.kept(), sha, { pack })).reason).toBe("contents_too_large");
  });

  it("has a tree that lists itself a million times", async () => {
    const { repository } = fixture;
    let tree = repository.tree([{ mode: "100644", name: "x", sha: repository.blob("x") }]);
    for (let depth = 0; depth < 8; depth += 1) {
      const at = tree;
      tree = repository.tree([..."abcdefghij"].map((name) => ({ mode: "40000" as const, name, sha: at })));
    }
    const sha = repository.commitTree(tree, {});
    expect(refusalOf(await fixture.send(fixture.kept(), sha, { pack: fixture.pack([sha]) })).reason).toBe(
      "contents_too_large",
    );
  });

  it("unfolds to more memory than there is for it: a chain of differences", async () => {
    // A difference of a few bytes makes 300 MB: it copies the same 16 MB again and again.
    const base = Buffer.alloc(16_000_000, "x");
    const copies = 20;
    const name = createHash("sha1").update(`blob ${base.length}\0`).update(base).digest();
    const copy = Buffer.concat(
      Array.from({ length: copies }, () => Buffer.from([0x80 | 0x10 | 0x20 | 0x40, 0x00, 0x24, 0xf4])),
    );
    const delta = Buffer.concat([varint(base.length), varint(16_000_000 * copies), copy]);
    const pack = writePack([
      { type: 3, content: base },
      { type: 7, content: delta, prefix: name },
    ]);
    expect(pack.length).toBeLessThan(50_000);
    expect(refusalOf(await fixture.send(fixture.kept(), "0".repeat(40), { pack })).reason).toBe(
      "contents_too_large",
    );
  });

  it("takes longer than it may", async () => {
    const [sha = ""] = history(1);
    const pack = fixture.pack([sha]);
    const kept = fixture.kept({ limits: { cloneTimeoutMs: 300 } });
    const content = async function* () {
      yield pack.subarray(0, 20);
      await new Promise(() => {});
    };
    const sending = fixture.send(kept, sha, { pack, content: content() });
    expect(refusalOf(await sending).reason).toBe("took_too_long");
  });
});

it("ends git when the job goes away, and says so", async () => {
  const [sha = ""] = history(1);
  const pack = fixture.pack([sha]);
  const content = async function* () {
    yield pack.subarray(0, 20);
    throw new Error("the client has gone");
  };
  const sending = fixture.send(fixture.kept(), sha, { pack, content: content() });
  await expect(sending).rejects.toThrow("the client has gone");
});
