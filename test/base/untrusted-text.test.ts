import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { singleLine, visibleText } from "../../src/base/untrusted-text.ts";

describe("visibleText", () => {
  it.each([
    ["a terminal's escape", "\u001b]0;x\u0007", "␛]0;x␇"],
    ["NUL, backspace and delete", "\0\b\u007f", "␀␈␡"],
    ["a C1 control", "\u009b31m", "‹U+009B›31m"],
    ["a carriage return that overwrites a line", "good\rbad", "good␍bad"],
    ["bidi controls", "a\u202eb\u2066c\u200f\u061c", "a‹U+202E›b‹U+2066›c‹U+200F and 1 more›"],
    ["zero-width characters", "a\u200bb\u200dc\u2060\ufeff", "a‹U+200B›b‹U+200D›c‹U+2060 and 1 more›"],
    ["tag characters", "x\u{e0041}\u{e0042}\u{e007f}", "x‹U+E0041 and 2 more›"],
    ["variation selectors on text", "x\ufe0f\u{e0101}", "x‹U+FE0F and 1 more›"],
    ["what is smuggled behind an emoji", "😀\ufe0f\u{e0101}\u{e0102}", "😀\ufe0f‹U+E0101 and 1 more›"],
    ["line separators", "a\u2028b\u2029c", "a‹U+2028›b‹U+2029›c"],
    ["fillers and soft hyphens", "a\u3164b\u00adc\u115f", "a‹U+3164›b‹U+00AD›c‹U+115F›"],
    ["a lone surrogate", "a\ud800b", "a‹U+D800›b"],
  ])("shows %s", (_what, text, visible) => {
    expect(visibleText(text)).toBe(visible);
  });

  it.each([
    ["newlines and tabs", "a\n\tb"],
    ["emoji", "👩‍💻 ❤️ ❤️‍🔥 1️⃣ 👩🏽‍🚀 🇩🇪 ©️"],
    ["other scripts", "Ünïcödé 漢字 עברית हिन्दी"],
  ])("leaves %s alone", (_what, text) => {
    expect(visibleText(text)).toBe(text);
  });

  it("drops colours and makes line ends one kind", () => {
    expect(visibleText("\u001b[1;31mred\u001b[0m\r\nx")).toBe("red\nx");
  });

  it("leaves no invisible character, in well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const visible = visibleText(text);
        expect(visible.isWellFormed()).toBe(true);
        expect(visible).not.toMatch(/[[\p{Cc}\p{Zl}\p{Zp}]--[\n\t]]|[\u202A-\u202E\u2066-\u2069]/v);
        expect(visibleText(visible)).toBe(visible);
      }),
    );
  });
});

describe("singleLine", () => {
  it("keeps to one line of the given length, never half a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 40 }), (text, maxChars) => {
        const line = singleLine(text, maxChars);
        expect(line.length).toBeLessThanOrEqual(maxChars);
        expect(line).not.toMatch(/[\n\r\t]/);
        expect(line.isWellFormed()).toBe(true);
      }),
    );
  });

  it("says that it was cut", () => {
    expect(singleLine("one\n  two\tthree", 20)).toBe("one two three");
    expect(singleLine("one two three", 8)).toBe("one two…");
  });
});
