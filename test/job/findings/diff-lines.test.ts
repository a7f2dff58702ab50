import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isShown, type LineRange, shownLines } from "../../../src/job/findings/diff-lines.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "diff-lines-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What git itself makes of two files, from the first hunk on, as the code host gives it. */
function gitPatch(before: string, after: string): string {
  const [one, two] = [join(folder, "before"), join(folder, "after")];
  writeFileSync(one, before);
  writeFileSync(two, after);
  const args = ["diff", "--no-index", "--no-color", "--no-ext-diff", "--text", one, two];
  try {
    return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (cause) {
    const { stdout, status } = cause as { stdout: string; status: number };
    if (status !== 1) throw cause;
    return stdout.slice(stdout.indexOf("\n@@ ") + 1);
  }
}

const numbersOf = (ranges: readonly LineRange[]) =>
  ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => first + index));

describe("the lines that a diff shows", () => {
  it("are those of its hunks, in the new file", () => {
    const patch =
      "@@ -1,3 +1,4 @@ head\n a\n-b\n+c\n+d\n e\n@@ -20 +21,2 @@\n f\n+g\n\\ No newline at end of file";
    expect(shownLines(patch)).toEqual([
      { first: 1, last: 4 },
      { first: 21, last: 22 },
    ]);
  });

  it.each([
    ["a removed file", "@@ -1,2 +0,0 @@\n-a\n-b", []],
    ["lines that look like a hunk", "@@ -1 +1,2 @@\n-a\n+@@ -1 +90 @@\n+b", [{ first: 1, last: 2 }]],
    ["a patch that was cut", "@@ -1,9 +1,9 @@\n a\n b", [{ first: 1, last: 2 }]],
    ["nothing", "", []],
    ["no patch", "Binary files differ", []],
  ])("are found in %s", (_what, patch, ranges) => {
    expect(shownLines(patch)).toEqual(ranges);
  });

  it("contain a range only within one hunk", () => {
    const ranges = [
      { first: 1, last: 4 },
      { first: 5, last: 9 },
    ];
    expect(isShown(ranges, { startLine: 2, line: 4 })).toBe(true);
    expect(isShown(ranges, { startLine: 4, line: 5 })).toBe(false);
    expect(isShown(ranges, { startLine: 9, line: 10 })).toBe(false);
  });

  it("are the changed lines and three around them, by git's own diff", () => {
    const line = fc.constantFrom("a", "b", "c", "@@ -1 +1 @@", "+x", "-y", "", "\\ z", "é");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.array(line, { maxLength: 40 }), (before, after) => {
        const patch = gitPatch(`${before.join("\n")}\n`, `${after.join("\n")}`);
        const shown = shownLines(patch);
        // Whoever applies the patch's new side has the same lines at the same numbers.
        const lines = patch
          .split("\n")
          .filter((text) => /^[ +]/.test(text))
          .map((text) => text.slice(1));
        expect(numbersOf(shown).map((number) => after.join("\n").split("\n")[number - 1])).toEqual(lines);
      }),
      { numRuns: 60 },
    );
  });
});
