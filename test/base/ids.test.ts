import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemRandom, uuidV7 } from "../../src/base/ids.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("uuidV7", () => {
  it("lays out the example of RFC 9562 §A.6", () => {
    const random = Buffer.from("0cc3" + "18c4dc0c0c07398f", "hex");
    expect(uuidV7(0x017f22e279b0, random)).toBe("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
  });

  it("is of version 7 and variant 10, whatever the bytes, and sorts by time", () => {
    const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
    const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
    fc.assert(
      fc.property(time, time, bytes, bytes, (first, second, one, other) => {
        const [a, b] = [uuidV7(first, one), uuidV7(second, other)];
        expect(a).toMatch(UUID_V7);
        if (first < second) expect(a < b).toBe(true);
      }),
    );
  });
});

describe("systemRandom", () => {
  it("repeats nothing", () => {
    const now = Date.UTC(2026, 0, 15);
    const ids = Array.from({ length: 10_000 }, () => systemRandom.uuid(now));
    expect(new Set(ids).size).toBe(ids.length);
    expect(systemRandom.bytes(32)).toHaveLength(32);
    expect(systemRandom.fraction()).toBeLessThan(1);
  });
});
