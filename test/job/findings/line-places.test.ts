import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addsLines, linesOf, placeNow } from "../../../src/job/findings/line-places.ts";

const before = "a\nb\nc\nd\ne\nb\n";

describe("placeNow", () => {
  it.each([
    ["the same file", before, 1, 5, [1, 5]],
    ["lines that lines above have moved", `new\n${before}`, 3, 5, [4, 6]],
    ["a line whose neighbour changed", before.replace("b", "B"), 3, 3, [3, 3]],
    ["a line with another one written above", before.replace("c", "new\nc"), 3, 3, [4, 4]],
    ["the changed line", before.replace("c", "C"), 3, 3, null],
    ["a removed line", before.replace("c\n", ""), 3, 3, null],
    ["a range with a changed line", before.replace("c", "C"), 2, 4, null],
    ["a range with a line written between", before.replace("c", "new\nc"), 2, 4, null],
    ["a line that moved", "c\na\nb\nd\ne\nb\n", 3, 3, [1, 1]],
    ["a block that moved", "d\ne\nb\na\nb\nc\n", 1, 3, [4, 6]],
    ["one of two equal lines, the other gone", "a\nb\nc\nd\ne\n", 2, 2, [2, 2]],
    ["one of two equal lines that is gone", "a\nc\nd\ne\nb\n", 2, 2, null],
    ["an empty file", "", 2, 2, null],
    ["other line endings", before.replaceAll("\n", "\r\n"), 2, 4, [2, 4]],
    ["a line that the file never had, in the same file", before, 90, 90, [90, 90]],
    ["a line that the file never had, in another file", `${before}f`, 90, 90, null],
  ])("tells %s", (_, after, startLine, line, expected) => {
    const range = expected === null ? null : { first: expected[0], last: expected[1] };
    expect(placeNow({ before, after }, { startLine, line })).toEqual(range);
  });

  it("knows a line again when thousands of others have changed", () => {
    const many = (word: string) => Array.from({ length: 4_000 }, (_, index) => `${word} ${index}`);
    const text = (word: string) => ["first", ...many(word), "the finding", ...many(`${word}s`)].join("\n");
    const lines = { startLine: 4_002, line: 4_002 };
    expect(placeNow({ before: text("old"), after: text("new") }, lines)).toEqual({
      first: 4_002,
      last: 4_002,
    });
  });

  it("names only places that have the same lines, and always one for lines that nothing touched", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "", "}"), { minLength: 1, maxLength: 25 });
    const check = (head: string[], mine: string[], tail: string[], other: string[], rest: string[]) => {
      const own = ["unique", ...mine, "end of unique"];
      const [old, now] = [
        [...head, ...own, ...tail],
        [...other, ...own, ...rest],
      ];
      const at = { startLine: head.length + 1, line: head.length + own.length };
      const found = placeNow({ before: old.join("\n"), after: now.join("\n") }, at);
      expect(found).not.toBeNull();
      expect(now.slice((found?.first ?? 0) - 1, found?.last)).toEqual(own);
    };
    fc.assert(fc.property(lines, lines, lines, lines, lines, check));
  });
});

describe("addsLines", () => {
  const patch = "@@ -1 +1,4 @@\n a\n+export function moved(value) {\n+  return value;\n+}\n-old";

  it.each([
    ["a block", "export function moved(value) {\n  return value;", true],
    ["a block of few letters", "  return value;\n}", false],
    ["other lines", "export function moved(other) {\n  return value;", false],
    ["lines that the patch only shows", "a", false],
  ])("knows %s", (_, text, expected) => {
    expect(addsLines(patch, linesOf(text))).toBe(expected);
  });
});
