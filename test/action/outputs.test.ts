import { describe, expect, it } from "vitest";
import { cutToBytes } from "../../src/action/outputs.ts";

describe("a reply that is too long for an output", () => {
  it.each([
    ["ASCII", "abcdef", 4, "abcd"],
    ["two bytes a character", "ééé", 5, "éé"],
    ["three bytes a character", "日本語", 8, "日本"],
    ["four bytes a character", "😀😀", 7, "😀"],
    ["a cut just after a character", "é日a", 5, "é日"],
    ["a cut inside the first character", "😀", 3, ""],
  ])("is cut between characters: %s", (_name, text, maxBytes, cut) => {
    expect(cutToBytes(text, maxBytes)).toBe(cut);
  });

  it("is nearly as long as it may be, and the beginning of the whole", () => {
    const text = "aé日😀".repeat(1_000);
    for (let maxBytes = 5_000; maxBytes < 5_010; maxBytes++) {
      const cut = cutToBytes(text, maxBytes);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(cut)).toBeGreaterThan(maxBytes - 4);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
    }
  });

  it("stays whole where it fits", () => {
    expect(cutToBytes("日本", 6)).toBe("日本");
  });
});
