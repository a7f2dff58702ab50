import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength, excerpt, fitText, headLines } from "../../src/base/bounded-text.ts";

describe("excerpt", () => {
  it("keeps whole characters and counts the rest", () => {
    expect(excerpt("ab", 2)).toEqual({ text: "ab", omittedChars: 0 });
    expect(excerpt("a😀b", 2)).toEqual({ text: "a", omittedChars: 3 });
  });
});

describe("headLines", () => {
  it.each([
    ["a\nb\nc", 5, 99, "a\nb\nc", 0],
    ["a\nb\nc", 2, 99, "a\nb", 1],
    ["a\nb\n", 1, 99, "a", 1],
    ["a\n", 1, 99, "a", 0],
    ["", 1, 99, "", 0],
    ["aaa\nbbb\nccc", 9, 5, "aaa", 2],
    ["aaaaaa\nb", 9, 3, "aaa", 2],
  ])("cuts %j at %i lines and %i characters", (text, maxLines, maxChars, head, moreLines) => {
    expect(headLines(text, { maxLines, maxChars })).toEqual({ head, moreLines });
  });
});

describe("fitText", () => {
  it("fits the bytes of what is rendered, never half a character", () => {
    const render = (head: string) => `<${head.replaceAll("a", "&#97;")}>`;
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "é", "😀")), fc.nat(100), (chars, maxBytes) => {
        const fitted = fitText(chars.join(""), maxBytes, render);
        if (fitted === null) {
          expect(maxBytes).toBeLessThan(2);
          return;
        }
        expect(byteLength(fitted)).toBeLessThanOrEqual(maxBytes);
        expect(fitted.isWellFormed()).toBe(true);
      }),
    );
  });

  it("cuts nothing that fits", () => {
    expect(fitText("abc", 3, (head) => head)).toBe("abc");
  });
});
