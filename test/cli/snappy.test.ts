import { describe, expect, it } from "vitest";
import { unfoldSnappy } from "../../src/cli/attestations/snappy.ts";

const MAX = 1_000;
const unfold = (...bytes: readonly number[]) =>
  unfoldSnappy(Buffer.from(bytes), MAX)?.toString("latin1") ?? null;
const text = (letters: string) => [...Buffer.from(letters)];

describe("unfoldSnappy", () => {
  it("reads literals of each length, and copies of each kind", () => {
    expect(unfold(3, 2 << 2, ...text("abc"))).toBe("abc");
    expect(unfold(3, 60 << 2, 2, ...text("abc"))).toBe("abc");
    expect(unfold(3, 61 << 2, 2, 0, ...text("abc"))).toBe("abc");
    // Four bytes, one back: a copy of what it writes.
    expect(unfold(5, 0, ...text("a"), 1, 1)).toBe("aaaaa");
    expect(unfold(6, 2 << 2, ...text("abc"), (2 << 2) | 2, 3, 0)).toBe("abcabc");
    expect(unfold(6, 2 << 2, ...text("abc"), (2 << 2) | 3, 3, 0, 0, 0)).toBe("abcabc");
    expect(unfold(0)).toBe("");
    const long = "x".repeat(300);
    expect(unfold(0xac, 2, 61 << 2, 43, 1, ...text(long))).toBe(long);
  });

  it("refuses what ends too early, is longer or shorter than it says, copies what is not there, or is too large", () => {
    expect(unfold()).toBeNull();
    expect(unfold(3, 2 << 2, ...text("ab"))).toBeNull();
    expect(unfold(2, 2 << 2, ...text("abc"))).toBeNull();
    expect(unfold(4, 2 << 2, ...text("abc"))).toBeNull();
    expect(unfold(5, 0, ...text("a"), 1, 2)).toBeNull();
    expect(unfold(5, 0, ...text("a"), 1, 0)).toBeNull();
    expect(unfold(9, 0, ...text("a"), 1)).toBeNull();
    expect(unfold(0xff, 0xff, 0xff, 0xff, 0xff, 0xff)).toBeNull();
    expect(unfold(0xe9, 0x07, 0)).toBeNull();
  });
});
