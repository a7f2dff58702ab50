import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength } from "../../src/base/bounded-text.ts";
import { changesTable, MAX_TABLE_FILES } from "../../src/render/changes-table.ts";

function changes(paths: readonly string[]) {
  return {
    base_sha: "0",
    patch: "",
    files: paths.map((path, index) => ({
      path,
      status: "modified" as const,
      additions: index,
      deletions: 0,
    })),
  };
}

describe("changesTable", () => {
  it("is empty for a run without changes", () => {
    expect(changesTable(null, 10_000)).toBe("");
    expect(changesTable(changes([]), 10_000)).toBe("");
  });

  it("keeps a path from breaking its row", () => {
    const table = changesTable(changes(["a|b\n`c`"]), 10_000);
    expect(table.split("\n").at(-1)).toBe(
      "| <code>a&#124;b &#96;c&#96;</code> | modified | +0 −0 ⬜⬜⬜⬜⬜ |",
    );
  });

  it("shows the most changed of many files, in their original order", () => {
    const paths = Array.from({ length: MAX_TABLE_FILES + 10 }, (_, index) => `f${index}`);
    const table = changesTable(changes(paths), 100_000);
    expect(table).not.toContain("<code>f9</code>");
    expect(table.indexOf("<code>f10</code>")).toBeLessThan(table.indexOf("<code>f59</code>"));
    expect(table).toMatch(/and 10 more files$/);
  });

  it("stays within its bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.nat(2_000), (paths, maxBytes) => {
        expect(byteLength(changesTable(changes(paths), maxBytes))).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  it("says why the changes are unknown, inertly and within its bytes", () => {
    const unreadable = "git ls-files took longer than the 60 s that it may.\n# <b>`Look`</b>";
    const value = { base_sha: "a".repeat(40), files: [], patch: "", unreadable };
    expect(changesTable(value, 10_000)).toBe(
      "**What the run changed could not be read:** <code>git ls-files took longer than the 60 s that it may. # &lt;b&gt;&#96;Look&#96;&lt;/b&gt;</code>",
    );
    expect(changesTable(value, 40)).toBe("");
  });

  it("names the files that are left out, and why", () => {
    const held_back = [
      { path: ".github/workflows/ci.yml", reason: "protected" as const },
      { path: "a|b.bin", reason: "too_large" as const },
    ];
    const text = changesTable({ base_sha: "a".repeat(40), files: [], patch: "", held_back }, 10_000);
    expect(text).toBe(
      "**Held back, and not part of the changes:** <code>.github/workflows/ci.yml</code> (protected), <code>a&#124;b.bin</code> (too large)",
    );
  });
});
