import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextDelayMs, parseRetryAfterMs } from "../../src/base/backoff.ts";

const policy = { attempts: 5, firstDelayMs: 100, maxDelayMs: 1_000 };

describe("nextDelayMs", () => {
  it("doubles from the first delay to the highest, and ends with the attempts", () => {
    const delays = [1, 2, 3, 4, 5].map((attempt) => nextDelayMs(policy, { attempt, random: 1 }));
    expect(delays).toEqual([100, 200, 400, 800, null]);
    expect(nextDelayMs({ ...policy, attempts: 9 }, { attempt: 8, random: 1 })).toBe(1_000);
  });

  it("waits as long as the server asks, and a little more, and gives up where that is too long", () => {
    expect(nextDelayMs(policy, { attempt: 1, random: 0, retryAfterMs: 700 })).toBe(700);
    expect(nextDelayMs(policy, { attempt: 1, random: 1, retryAfterMs: 700 })).toBe(770);
    expect(nextDelayMs(policy, { attempt: 1, random: 0, retryAfterMs: 0 })).toBe(0);
    expect(nextDelayMs(policy, { attempt: 1, random: 0, retryAfterMs: 1_001 })).toBeNull();
    expect(nextDelayMs(policy, { attempt: 5, random: 0, retryAfterMs: 1 })).toBeNull();
  });

  it("spreads every delay over the upper half of its ceiling", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random) => {
          const ceiling = Math.min(1_000, 100 * 2 ** (attempt - 1));
          const delay = nextDelayMs(policy, { attempt, random }) ?? -1;
          expect(delay).toBeGreaterThanOrEqual(ceiling / 2);
          expect(delay).toBeLessThanOrEqual(ceiling);
        },
      ),
    );
  });
});

describe("parseRetryAfterMs", () => {
  const now = Date.parse("2026-01-15T10:00:00Z");

  it.each([
    ["120", 120_000],
    [" 0 ", 0],
    ["Thu, 15 Jan 2026 10:00:30 GMT", 30_000],
    ["Thu, 15 Jan 2026 09:00:00 GMT", 0],
    ["soon", undefined],
    ["-5x", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("reads %j as %j", (header, expected) => {
    expect(parseRetryAfterMs(header, now)).toBe(expected);
  });
});
