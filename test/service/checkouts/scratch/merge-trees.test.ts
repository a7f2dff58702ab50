// Merges out of what differs alone, against the merge that git makes of the whole repository.

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { amount } from "../../../support/run/long.ts";
import { anyChanges, baseFiles, changedFiles } from "./any-changes.ts";
import { type Files, ScratchFixture, type Sides, stagesOf } from "./scratch-fixture.ts";

let fixture: ScratchFixture;

beforeEach(async () => {
  fixture = await ScratchFixture.make();
});

afterEach(async () => {
  expect(await fixture.leftOvers()).toEqual([]);
  await fixture.remove();
});

const lines = (count: number, changes: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_none, at) => `${changes[at] ?? `line ${at}`}\n`).join("");

/** Files on which both sides agree, so that most of the repository is not given. */
const others: Files = Object.fromEntries(
  Array.from({ length: 60 }, (_none, at) => [`deep/${at % 6}/er/${at}.txt`, `${at}\n`]),
);

const merged = async (sides: Sides) => {
  const trees = fixture.commits({
    base: { ...others, ...sides.base },
    ours: { ...others, ...sides.ours },
    theirs: { ...others, ...sides.theirs },
  });
  const merge = await fixture.merge(trees);
  const whole = fixture.wholeMerge(trees);
  expect(merge.tree).toBe(whole.tree);
  expect(stagesOf(merge)).toEqual(whole.stages);
  expect(merge.conflicts.length === 0).toBe(whole.isClean);
  return merge;
};

describe("a merge without conflicts", () => {
  it("joins changes of both sides in one file", async () => {
    const base = { "a/f.txt": lines(20) };
    const merge = await merged({
      base,
      ours: { "a/f.txt": lines(20, { 2: "ours" }) },
      theirs: { "a/f.txt": lines(20, { 15: "theirs" }) },
    });
    expect(merge.conflicts).toEqual([]);
    expect(merge.made.map(({ kind }) => kind).sort()).toEqual(["blob", "tree", "tree"]);
    const blob = merge.made.find(({ kind }) => kind === "blob");
    expect(Buffer.from(blob?.data ?? []).toString()).toBe(lines(20, { 2: "ours", 15: "theirs" }));
  });

  it("follows a rename with an edit of the other side", async () => {
    const merge = await merged({
      base: { "old.txt": lines(30) },
      ours: { "new/place.txt": lines(30) },
      theirs: { "old.txt": lines(30, { 10: "theirs" }) },
    });
    expect(fixture.listMerged(merge)).toContain("100644\tnew/place.txt");
    expect(fixture.listMerged(merge)).not.toContain("100644\told.txt");
  });

  it("moves a new file with the folder that the other side has renamed, and says so", async () => {
    const folder = { "lib/a.ts": lines(20), "lib/b.ts": lines(20, { 3: "b" }) };
    const merge = await merged({
      base: folder,
      ours: { "src/a.ts": folder["lib/a.ts"], "src/b.ts": folder["lib/b.ts"] },
      theirs: { ...folder, "lib/new.ts": "new\n" },
    });
    expect(fixture.listMerged(merge)).toContain("100644\tsrc/new.ts");
    expect(merge).toMatchObject({ conflicts: [], moved: [{ from: "lib/new.ts", to: "src/new.ts" }] });
  });

  it("keeps programs, symbolic links, submodules, and names of any language", async () => {
    const submodule = "1".repeat(40);
    const merge = await merged({
      base: { "run.sh": lines(9), "grüße/日本.txt": lines(9), link: { link: "run.sh" } },
      ours: {
        "run.sh": { program: lines(9) },
        "grüße/日本.txt": lines(9, { 1: "o" }),
        link: { link: "run.sh" },
      },
      theirs: {
        "run.sh": lines(9, { 4: "theirs" }),
        "grüße/日本.txt": lines(9, { 7: "t" }),
        link: { link: "grüße" },
        other: { link: "../outside" },
        module: { submodule },
      },
    });
    expect(merge.conflicts).toEqual([]);
    const listed = fixture.listMerged(merge);
    expect(listed).toEqual(
      expect.arrayContaining(["100755\trun.sh", "120000\tlink", "120000\tother", "160000\tmodule"]),
    );
  });

  it("takes one side where only that changed, or both did the same", async () => {
    const merge = await merged({
      base: { "a/x": "1\n", "b/y": "1\n", "c/z": "1\n", gone: "g\n" },
      ours: { "a/x": "2\n", "b/y": "1\n", "c/z": "3\n" },
      theirs: { "a/x": "1\n", "b/y": "2\n", "c/z": "3\n", gone: "g\n" },
    });
    expect(merge.conflicts).toEqual([]);
    // Only the root is new.
    expect(merge.made.map(({ kind }) => kind)).toEqual(["tree"]);
  });

  it("obeys no attributes of the tree", async () => {
    const attributes = "*.txt -text merge=union\n* binary\n";
    const merge = await merged({
      base: { ".gitattributes": attributes, "f.txt": lines(20) },
      ours: { ".gitattributes": attributes, "f.txt": lines(20, { 2: "ours" }) },
      theirs: { ".gitattributes": attributes, "f.txt": lines(20, { 15: "theirs" }) },
    });
    expect(merge.conflicts).toEqual([]);
  });
});

describe("a merge with conflicts", () => {
  it.each<[string, Sides, readonly object[]]>([
    [
      "content",
      { base: { f: lines(9) }, ours: { f: lines(9, { 4: "o" }) }, theirs: { f: lines(9, { 4: "t" }) } },
      [{ path: "f", kind: "content", relatedPaths: [] }],
    ],
    [
      "binary",
      {
        base: { f: Buffer.from("a\0b") },
        ours: { f: Buffer.from("a\0c") },
        theirs: { f: Buffer.from("a\0d") },
      },
      [{ path: "f", kind: "binary" }],
    ],
    [
      "add_add",
      { base: {}, ours: { f: "ours\n" }, theirs: { f: "theirs\n" } },
      [{ path: "f", kind: "add_add", base: null }],
    ],
    [
      "modify_delete",
      { base: { f: lines(9) }, ours: {}, theirs: { f: lines(9, { 4: "t" }) } },
      [{ path: "f", kind: "modify_delete", ours: null }],
    ],
    [
      "rename_rename",
      { base: { f: lines(9) }, ours: { g: lines(9) }, theirs: { h: lines(9) } },
      [
        { path: "f", kind: "rename_rename", ours: null, theirs: null, relatedPaths: ["g", "h"] },
        { path: "g", kind: "rename_rename" },
        { path: "h", kind: "rename_rename" },
      ],
    ],
    [
      "rename_delete",
      { base: { f: lines(9) }, ours: { g: lines(9) }, theirs: {} },
      [{ path: "g", kind: "rename_delete", theirs: null, relatedPaths: ["f"] }],
    ],
    [
      "file_directory",
      { base: { "d/x": "x\n" }, ours: { d: "file\n" }, theirs: { "d/x": "x\n", "d/y": "y\n" } },
      [{ path: "d~ours", kind: "file_directory", base: null, theirs: null, relatedPaths: ["d"] }],
    ],
    [
      "mode",
      { base: {}, ours: { f: "file\n" }, theirs: { f: { link: "elsewhere" } } },
      [
        { path: "f", kind: "mode" },
        { path: "f~ours", kind: "mode" },
      ],
    ],
    [
      "submodule",
      {
        base: { m: { submodule: "1".repeat(40) } },
        ours: { m: { submodule: "2".repeat(40) } },
        theirs: { m: { submodule: "3".repeat(40) } },
      },
      [{ path: "m", kind: "submodule" }],
    ],
    [
      "content",
      { base: { l: { link: "a" } }, ours: { l: { link: "b" } }, theirs: { l: { link: "c" } } },
      [{ path: "l", kind: "content", ours: { mode: "120000" } }],
    ],
    [
      "file_location",
      {
        base: { "d/1": lines(9), "d/2": lines(9, { 1: "2" }) },
        ours: { "e/1": lines(9), "f/2": lines(9, { 1: "2" }) },
        theirs: { "d/1": lines(9), "d/2": lines(9, { 1: "2" }), "d/new": "new\n" },
      },
      [{ path: "d", kind: "file_location", base: null, ours: null, theirs: null }],
    ],
  ])("names one of kind %s", async (_kind, sides, expected) => {
    const { conflicts } = await merged(sides);
    expect(conflicts).toMatchObject(expected);
  });

  it("still holds what both sides agree on, and the text of both where they do not", async () => {
    const merge = await merged({
      base: { f: lines(9), g: lines(9) },
      ours: { f: lines(9, { 4: "o" }), g: lines(9, { 1: "o" }) },
      theirs: { f: lines(9, { 4: "t" }), g: lines(9, { 7: "t" }) },
    });
    const texts = merge.made
      .filter(({ kind }) => kind === "blob")
      .map(({ data }) => Buffer.from(data).toString());
    expect(texts.sort()).toEqual(
      [lines(9, { 1: "o", 7: "t" }), lines(9, { 4: "<<<<<<< ours\no\n=======\nt\n>>>>>>> theirs" })].sort(),
    );
  });
});

describe("any merge", () => {
  it("is the one that git makes of the whole repository", async () => {
    await fc.assert(
      fc.asyncProperty(anyChanges, anyChanges, async (ours, theirs) => {
        await merged({
          base: baseFiles,
          ours: changedFiles(ours, "ours"),
          theirs: changedFiles(theirs, "theirs"),
        });
      }),
      { numRuns: amount({ short: 15, long: 200 }) },
    );
  });
});
