import { describe, expect, it } from "vitest";
import { fileIn } from "../../../src/service/checkouts/git-output.ts";

describe("a file in the listing of a commit", () => {
  const listing = Buffer.from(
    [
      "100644 blob aaaa       3\tnotes\tAGENTS.md",
      "120000 blob bbbb      12\tCLAUDE.md",
      "160000 commit cccc       -\tlibrary",
      "100755 blob dddd    1234\tdocs/AGENTS.md",
      "100644 blob eeee       5\tAGENTS.md",
      "100644 blob ffff       7\tAGENTS.md.bak",
      "100644 blob abcd       9\tgrün/ü.md",
    ]
      .map((record) => `${record}\0`)
      .join(""),
  );

  it.each([
    { path: "AGENTS.md", file: { mode: "100644", name: "eeee", bytes: 5 } },
    { path: "docs/AGENTS.md", file: { mode: "100755", name: "dddd", bytes: 1234 } },
    { path: "notes\tAGENTS.md", file: { mode: "100644", name: "aaaa", bytes: 3 } },
    { path: "CLAUDE.md", file: { mode: "120000", name: "bbbb", bytes: 12 } },
    { path: "library", file: { mode: "160000", name: "cccc", bytes: 0 } },
    { path: "grün/ü.md", file: { mode: "100644", name: "abcd", bytes: 9 } },
    { path: "docs", file: null },
    { path: "GENTS.md", file: null },
    { path: "", file: null },
  ])("is the one of the whole path: $path", ({ path, file }) => {
    expect(fileIn(listing, path)).toEqual(file);
  });
});
