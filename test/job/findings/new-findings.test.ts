import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areUnchanged } from "../../../src/job/findings/new-findings.ts";

const before = "a\nb\nc\nd\ne\n";

describe("areUnchanged", () => {
  it.each([
    ["the same file", before, 1, 5, true],
    ["lines that moved down", `new\n${before}`, 3, 5, true],
    ["a line whose neighbour changed", before.replace("b", "B"), 3, 3, false],
    ["the changed line", before.replace("b", "B"), 2, 2, false],
    ["lines away from the change", before.replace("b", "B"), 4, 5, true],
    ["a range with a changed line", before.replace("c", "C"), 1, 5, false],
    ["a line beyond the end", before, 5, 9, false],
    ["a line that was there between other lines", "a\nb\nd\nc\ne\n", 3, 3, false],
  ])("tells %s", (_, after, startLine, line, expected) => {
    expect(areUnchanged({ before, after }, { startLine, line })).toBe(expected);
  });

  it("takes every line of a file for itself", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "", "\r", "{"), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lines, (all) => {
        const text = all.join("\n");
        return areUnchanged({ before: text, after: text }, { startLine: 1, line: all.length });
      }),
    );
  });
});
