// Trees of ours against real git's: the same oids, the same walks, the same differences.

import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { compareBytes } from "../../../../../src/base/byte-order.ts";
import { EMPTY_TREE } from "../../../../../src/base/git/object-names.ts";
import { MissingObjectError } from "../../../../../src/service/core/workspaces/objects/git-object.ts";
import {
  type FileEntry,
  findEntry,
  findFile,
  listFolder,
} from "../../../../../src/service/core/workspaces/objects/tree-source.ts";
import { applyChanges } from "../../../../../src/service/core/workspaces/trees/apply-changes.ts";
import { diffTrees } from "../../../../../src/service/core/workspaces/trees/diff-trees.ts";
import type { FileState } from "../../../../../src/service/core/workspaces/trees/join-entries.ts";
import { mergeTrees } from "../../../../../src/service/core/workspaces/trees/merge-trees.ts";
import { type WalkOptions, walkFiles } from "../../../../../src/service/core/workspaces/trees/walk-files.ts";
import { gitTrees, openGitRepository } from "../../../../support/git-repository.ts";
import { amount } from "../../../../support/run/long.ts";

const repository = openGitRepository();
afterAll(() => repository[Symbol.dispose]());
const source = gitTrees(repository);
beforeEach(() => {
  source.reads.trees = 0;
  source.reads.requests = 0;
});

type Files = ReadonlyMap<string, FileState>;
type Changes = ReadonlyMap<string, FileState | null>;

const blobs = ["one", "two", "three"].map((text) =>
  repository.write({ kind: "blob", data: Buffer.from(text) }),
);
const state = fc.record<FileState>({
  mode: fc.constantFrom("100644" as const, "100755" as const, "120000" as const),
  oid: fc.constantFrom(...blobs),
});
// Few names, so that files, folders and changes meet; those around "/" and above U+FFFF sort as nobody expects.
const segment = fc.constantFrom("a", "b", "a.b", "a-", "a0", "\uE000", "\u{10000}");
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
const files: fc.Arbitrary<Files> = fc
  .array(fc.tuple(path, state), { maxLength: 16 })
  .map((pairs) => withoutClashes(new Map(pairs)));
const changes: fc.Arbitrary<Changes> = fc
  .array(fc.tuple(path, fc.option(state, { freq: 3 })), { maxLength: 10 })
  .map((pairs) => new Map(pairs));

function foldersOf(file: string): string[] {
  const segments = file.split("/");
  return segments.slice(1).map((_segment, at) => segments.slice(0, at + 1).join("/"));
}

/** A path and a file below it, both in the map. */
function clashIn(map: ReadonlyMap<string, unknown>): string | null {
  return [...map.keys()].find((file) => foldersOf(file).some((folder) => map.has(folder))) ?? null;
}

function withoutClashes(map: Map<string, FileState>): Files {
  for (let clash = clashIn(map); clash !== null; clash = clashIn(map)) map.delete(clash);
  return map;
}

function applied(before: Files, changed: Changes): Map<string, FileState> {
  const after = new Map(before);
  for (const [at, to] of changed) {
    if (to === null) after.delete(at);
    else after.set(at, to);
  }
  return after;
}

async function walk(root: string, options?: WalkOptions): Promise<FileEntry[]> {
  const found: FileEntry[] = [];
  for await (const some of walkFiles(source, root, options)) found.push(...some);
  return found;
}

async function apply(root: string, changed: Changes): Promise<string> {
  const result = await applyChanges(source, root, changed);
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  for (const { oid, data } of result.value.made) expect(repository.write({ kind: "tree", data })).toBe(oid);
  return result.value.root;
}

describe("changes of a tree", () => {
  it("make the tree that git's index makes, or are refused where a file and a folder meet", async () => {
    await fc.assert(
      fc.asyncProperty(files, changes, async (before, changed) => {
        const root = repository.treeOf(before);
        const after = applied(before, changed);
        const result = await applyChanges(source, root, changed);
        expect(result.ok).toBe(clashIn(after) === null);
        if (!result.ok) {
          const { file, below } = result.refusal;
          expect(after.has(file)).toBe(true);
          expect(below.startsWith(`${file}/`)).toBe(true);
          expect([...after.keys()].some((at) => at === below || at.startsWith(`${below}/`))).toBe(true);
          return;
        }
        for (const { data } of result.value.made) repository.write({ kind: "tree", data });
        expect(result.value.root).toBe(repository.treeOf(after));
        expect(repository.filesOf(result.value.root)).toEqual(sorted(after));
      }),
      { numRuns: amount({ short: 15, long: 200 }) },
    );
    expect(repository.text(["fsck", "--strict", "--no-dangling"])).toBe("");
  });

  it("read and write only the folders on their paths", async () => {
    const before = new Map<string, FileState>();
    const one = { mode: "100644", oid: blobs[0] ?? "" } as const;
    for (let at = 0; at < 400; at += 1) before.set(`${at % 20}/${at % 5}/${at}`, one);
    const root = repository.treeOf(before);
    const result = await applyChanges(source, root, new Map([["7/2/new", one]]));
    expect(result.ok && result.value.made).toHaveLength(3);
    expect(source.reads).toEqual({ trees: 3, requests: 3 });
  });

  it("that change nothing make nothing", async () => {
    const one = { mode: "100644", oid: blobs[0] ?? "" } as const;
    const root = repository.treeOf(new Map([["a/b", one]]));
    const same = new Map([
      ["a/b", one],
      ["a/c", null],
      ["x/y/z", null],
      // No file: what is removed are files.
      ["a", null],
    ]);
    expect(await applyChanges(source, root, same)).toEqual({ ok: true, value: { root, made: [] } });
  });

  it("that take the last file leave the empty tree", async () => {
    const one = { mode: "100644", oid: blobs[0] ?? "" } as const;
    const root = repository.treeOf(new Map([["a/b/c", one]]));
    expect(await apply(root, new Map([["a/b/c", null]]))).toBe(EMPTY_TREE);
    expect(await apply(EMPTY_TREE, new Map([["a/b/c", one]]))).toBe(root);
  });

  it("are refused with both paths", async () => {
    const one = { mode: "100644", oid: blobs[0] ?? "" } as const;
    const root = repository.treeOf(new Map([["a/b", one]]));
    const clash = async (at: string) => applyChanges(source, root, new Map([[at, one]]));
    const refusal = (file: string, below: string) => ({
      ok: false,
      refusal: { reason: "path_clash", file, below },
    });
    expect(await clash("a")).toEqual(refusal("a", "a/b"));
    expect(await clash("a/b/c/d")).toEqual(refusal("a/b", "a/b/c"));
  });

  it("need every tree that they pass", async () => {
    const absent = "1".repeat(40);
    const empty = { trees: async () => new Map() };
    const changed = new Map([["a", null]]);
    await expect(applyChanges(empty, absent, changed)).rejects.toThrow(new MissingObjectError(absent));
  });
});

describe("a walk", () => {
  it("has git's files in the order of their bytes, from anywhere, in pages of any size", async () => {
    await fc.assert(
      fc.asyncProperty(files, path, fc.nat({ max: 6 }), async (map, somewhere, size) => {
        const root = repository.treeOf(map);
        const all = [...map].map(([at, file]) => ({ path: at, ...file }));
        all.sort((x, y) => compareBytes(x.path, y.path));
        expect(await walk(root)).toEqual(all);
        const later = all.filter((file) => compareBytes(file.path, somewhere) > 0);
        expect(await walk(root, { after: somewhere, limit: size })).toEqual(later.slice(0, size));
        const below = all.filter((file) => file.path.startsWith(`${somewhere}/`));
        expect(await walk(root, { under: somewhere })).toEqual(below);
        const [first] = below;
        const [, ...rest] = below;
        if (first !== undefined) {
          expect(await walk(root, { under: somewhere, after: first.path })).toEqual(rest);
        }
      }),
      { numRuns: amount({ short: 15, long: 200 }) },
    );
  });

  it("reads nothing before its start, and a level of folders at once", async () => {
    const one = { mode: "100644", oid: blobs[0] ?? "" } as const;
    const map = new Map<string, FileState>();
    for (let at = 1_000; at < 2_000; at += 1) map.set(`${at % 10}/${at % 100}/${at}`, one);
    const root = repository.treeOf(map);
    expect(await walk(root, { after: "9/89", limit: 5 })).toHaveLength(5);
    // The root, its last folder, and the three of its folders that are not before.
    expect(source.reads).toEqual({ trees: 5, requests: 3 });
    source.reads.trees = 0;
    source.reads.requests = 0;
    expect(await walk(root)).toHaveLength(1_000);
    expect(source.reads.trees).toBe(111);
    expect(source.reads.requests).toBeLessThan(8);
  });
});

describe("what is at a path", () => {
  it("is found as git finds it", async () => {
    await fc.assert(
      fc.asyncProperty(files, path, async (map, at) => {
        const root = repository.treeOf(map);
        const file = map.get(at);
        expect(await findFile(source, root, at)).toEqual(file === undefined ? null : { path: at, ...file });
        const isFolder = [...map.keys()].some((other) => other.startsWith(`${at}/`));
        const entry = await findEntry(source, root, at);
        expect(entry?.mode ?? null).toBe(isFolder ? "40000" : (file?.mode ?? null));
        const list = await listFolder(source, root, at);
        expect(list === null).toBe(!isFolder);
        const named = repository.git(["ls-tree", "-z", "--name-only", `${root}`, `${at}/`]).toString();
        if (list !== null) {
          expect(list.map(({ name }) => `${at}/${name}\0`).join("")).toBe(named);
        }
      }),
      { numRuns: amount({ short: 10, long: 200 }) },
    );
  });

  it("at the root is the root, empty or not", async () => {
    expect(await findEntry(source, EMPTY_TREE, "")).toEqual({ path: "", mode: "40000", oid: EMPTY_TREE });
    expect(await listFolder(source, EMPTY_TREE, "")).toEqual([]);
    expect(await listFolder(source, EMPTY_TREE, "a")).toBe(null);
    expect(source.reads.trees).toBe(0);
  });
});

describe("a difference", () => {
  it("is git's", async () => {
    await fc.assert(
      fc.asyncProperty(files, changes, async (before, changed) => {
        const after = withoutClashes(applied(before, changed));
        const [from, to] = [repository.treeOf(before), repository.treeOf(after)];
        const output = repository.git(["diff-tree", "-r", "-z", "--no-renames", from, to]).toString();
        const theirs = output
          .split("\0")
          .slice(0, -1)
          .map((line, at, lines) => (at % 2 === 0 ? `${line.slice(1, -2)}\t${lines[at + 1]}` : null))
          .filter((line) => line !== null);
        const none = { mode: "000000", oid: "0".repeat(40) };
        const ours = (await diffTrees(source, from, to)).map((change) => {
          const [was, is] = [change.before ?? none, change.after ?? none];
          return `${was.mode} ${is.mode} ${was.oid} ${is.oid}\t${change.path}`;
        });
        expect(ours).toEqual(theirs.toSorted((x, y) => compareBytes(pathOf(x), pathOf(y))));
      }),
      { numRuns: amount({ short: 15, long: 200 }) },
    );
  });

  it("of no tree is all that is there", async () => {
    const one = { mode: "100644", oid: blobs[0] ?? "" } as const;
    const root = repository.treeOf(new Map([["a/b", one]]));
    expect(await diffTrees(source, null, root)).toEqual([{ path: "a/b", before: null, after: one }]);
    expect(await diffTrees(source, root, EMPTY_TREE)).toEqual([{ path: "a/b", before: one, after: null }]);
    expect(await diffTrees(source, null, null)).toEqual([]);
  });
});

describe("a merge by whole files", () => {
  it("takes what one side changed, and leaves the rest to be decided", async () => {
    await fc.assert(
      fc.asyncProperty(files, changes, changes, async (base, mine, others) => {
        const ours = withoutClashes(applied(base, mine));
        const theirs = withoutClashes(applied(base, others));
        const roots = {
          base: repository.treeOf(base),
          ours: repository.treeOf(ours),
          theirs: repository.treeOf(theirs),
        };
        const merge = await mergeTrees(source, roots);
        const same = (x?: FileState | null, y?: FileState | null) => x?.oid === y?.oid && x?.mode === y?.mode;
        const expected = new Map<string, FileState | null>();
        for (const at of new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])) {
          const [was, own, other] = [base.get(at), ours.get(at), theirs.get(at)];
          if (same(was, other) || same(own, other)) continue;
          if (same(was, own)) expected.set(at, other ?? null);
          else expect(merge.contested).toContain(at);
        }
        for (const [at, to] of merge.changes) expect(to).toEqual(expected.get(at));
        for (const at of expected.keys()) {
          expect(merge.changes.has(at) || merge.contested.includes(at)).toBe(true);
        }
        if (clashIn(applied(ours, expected)) === null) expect([...merge.changes]).toHaveLength(expected.size);
        // What is left always fits on ours.
        const root = await apply(roots.ours, merge.changes);
        expect(root).toBe(repository.treeOf(applied(ours, merge.changes)));
        const swapped = await mergeTrees(source, { ...roots, ours: roots.theirs, theirs: roots.ours });
        expect(swapped.contested.length > 0).toBe(merge.contested.length > 0);
        if (merge.contested.length === 0) {
          expect(await apply(roots.theirs, swapped.changes)).toBe(root);
        }
      }),
      { numRuns: amount({ short: 15, long: 200 }) },
    );
  });

  it("reads no folder that only one side changed, when that side is ours", async () => {
    const one = { mode: "100644", oid: blobs[0] ?? "" } as const;
    const two = { mode: "100644", oid: blobs[1] ?? "" } as const;
    const map = new Map<string, FileState>();
    for (let at = 0; at < 200; at += 1) map.set(`${at % 20}/${at}`, one);
    const base = repository.treeOf(map);
    const ours = repository.treeOf(new Map([...map].map(([at]) => [at, at.startsWith("3/") ? one : two])));
    const theirs = repository.treeOf(new Map([...map, ["3/3", two]]));
    const merge = await mergeTrees(source, { base, ours, theirs });
    expect(merge).toEqual({ changes: new Map([["3/3", two]]), contested: [] });
    // Three roots, and the folder that theirs changed: ours has it as base.
    expect(source.reads).toEqual({ trees: 5, requests: 2 });
  });

  it("of a file against a folder is contested, both ways", async () => {
    const one = { mode: "100644", oid: blobs[0] ?? "" } as const;
    const base = repository.treeOf(new Map([["z", one]]));
    const file = repository.treeOf(
      new Map([
        ["z", one],
        ["a", one],
      ]),
    );
    const folder = repository.treeOf(
      new Map([
        ["z", one],
        ["a/b", one],
        ["a/c", one],
      ]),
    );
    expect((await mergeTrees(source, { base, ours: file, theirs: folder })).contested).toEqual([
      "a/b",
      "a/c",
    ]);
    expect((await mergeTrees(source, { base, ours: folder, theirs: file })).contested).toEqual(["a"]);
  });
});

function sorted(map: Files): Map<string, FileState> {
  return new Map([...map].toSorted(([x], [y]) => compareBytes(x, y)));
}

function pathOf(line: string): string {
  return line.slice(line.indexOf("\t") + 1);
}
