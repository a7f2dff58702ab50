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
    expect(changesTable(null, { maxBytes: 10_000 })).toBe("");
    expect(changesTable(changes([]), { maxBytes: 10_000 })).toBe("");
  });

  const at = { repositoryUrl: "https://github.com/octo/repo", headSha: "b".repeat(40) };
  const patch = [
    "diff --git a/src/a b.ts b/src/a b.ts",
    "--- a/src/a b.ts\t",
    "+++ b/src/a b.ts\t",
    "@@ -7,2 +7,3 @@",
    " same",
    "+new",
    " same",
    "",
  ].join("\n");

  it("links pushed files to their first changed line", () => {
    const value = { ...changes(["src/a b.ts"]), patch };
    const links = { ...at, changedSha: "c".repeat(40) };
    const url = `https://github.com/octo/repo/blob/${links.changedSha}/src/a%20b.ts#L8`;
    expect(changesTable(value, { maxBytes: 10_000, links })).toContain(
      `| [<code>src/a b.ts</code>](${url}) | modified |`,
    );
    const deleted = { ...value, files: value.files.map((file) => ({ ...file, status: "deleted" as const })) };
    expect(changesTable(deleted, { maxBytes: 10_000, links })).not.toContain("](");
  });

  it("links files that were not pushed to what they were, and new ones to nothing", () => {
    const value = { ...changes(["a.ts"]), base_sha: "d".repeat(40) };
    const links = { ...at, changedSha: null };
    const url = `https://github.com/octo/repo/blob/${value.base_sha}/a.ts`;
    expect(changesTable(value, { maxBytes: 10_000, links })).toContain(`[<code>a.ts</code>](${url})`);
    const added = { ...value, files: value.files.map((file) => ({ ...file, status: "added" as const })) };
    expect(changesTable(added, { maxBytes: 10_000, links })).not.toContain("](");
  });

  it("keeps a path from breaking its row", () => {
    const table = changesTable(changes(["a|b\n`c`"]), { maxBytes: 10_000 });
    expect(table.split("\n").at(-1)).toBe(
      "| <code>a&#124;b &#96;c&#96;</code> | modified | +0 −0 ⬜⬜⬜⬜⬜ |",
    );
  });

  it("shows the most changed of many files, in their original order", () => {
    const paths = Array.from({ length: MAX_TABLE_FILES + 10 }, (_, index) => `f${index}`);
    const table = changesTable(changes(paths), { maxBytes: 100_000 });
    expect(table).not.toContain("<code>f9</code>");
    expect(table.indexOf("<code>f10</code>")).toBeLessThan(table.indexOf("<code>f59</code>"));
    expect(table).toMatch(/and 10 more files$/);
  });

  it("stays within its bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.nat(2_000), (paths, maxBytes) => {
        expect(byteLength(changesTable(changes(paths), { maxBytes }))).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  it("says why the changes are unknown, inertly and within its bytes", () => {
    const unreadable = "git ls-files took longer than the 60 s that it may.\n# <b>`Look`</b>";
    const value = { base_sha: "a".repeat(40), files: [], patch: "", unreadable };
    expect(changesTable(value, { maxBytes: 10_000 })).toBe(
      "**What the run changed could not be read:** <code>git ls-files took longer than the 60 s that it may. # &lt;b&gt;&#96;Look&#96;&lt;/b&gt;</code>",
    );
    expect(changesTable(value, { maxBytes: 40 })).toBe("");
  });

  it("names the files that are left out, and why", () => {
    const held_back = [
      { path: ".github/workflows/ci.yml", reason: "protected" as const },
      { path: "a|b.bin", reason: "too_large" as const },
    ];
    const text = changesTable(
      { base_sha: "a".repeat(40), files: [], patch: "", held_back },
      { maxBytes: 10_000 },
    );
    expect(text).toBe(
      "**Held back, and not part of the changes:** <code>.github/workflows/ci.yml</code> (protected), <code>a&#124;b.bin</code> (too large)",
    );
  });
});
