import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countTokens,
  type EstimatedCallSize,
  type ReportedUsage,
} from "../../../../../src/service/executor/backends/model/reported-usage.ts";

const size: EstimatedCallSize = {
  sentBytes: 8_000,
  estimatedInput: 2_000,
  maxOutputTokens: 1_000,
  heardChars: 400,
  heardBytes: 400,
};
const honest: ReportedUsage = { input: 2_100, cachedInput: 600, output: 120 };

describe("countTokens", () => {
  it("takes what a server reports of a call that is as it says", () => {
    expect(countTokens(honest, size)).toEqual({
      input: 2_100,
      cachedInput: 600,
      cacheWrite: 0,
      output: 120,
      isEstimated: false,
    });
    expect(countTokens({ ...honest, cachedInput: null }, size)).toMatchObject({
      cachedInput: 0,
      isEstimated: false,
    });
    // Thoughts that were not shown, and a server that knows no limit of an answer.
    expect(countTokens({ ...honest, output: 1_000 }, size)).toMatchObject({ output: 1_000 });
    expect(countTokens({ ...honest, output: 1_500 }, { ...size, heardBytes: 6_000 })).toMatchObject({
      output: 1_500,
      isEstimated: false,
    });
  });

  it.each([null, -1, -2_100, 0, 0.5, 2_100.5, 12_097, 1e15, 1e300, Number.NaN, Number.POSITIVE_INFINITY])(
    "estimates an input of %s",
    (input) => {
      expect(countTokens({ ...honest, input }, size)).toEqual({
        input: 2_000,
        cachedInput: 600,
        cacheWrite: 0,
        output: 120,
        isEstimated: true,
      });
    },
  );

  it.each([null, -1, 0, 99.9, 1_001, 1e300, Number.NaN])("estimates an output of %s", (output) => {
    expect(countTokens({ ...honest, output }, size)).toEqual({
      input: 2_100,
      cachedInput: 600,
      cacheWrite: 0,
      output: 100,
      isEstimated: true,
    });
  });

  it.each([-600, 0.25, Number.NaN])("takes nothing off for a cached input of %s", (cachedInput) => {
    expect(countTokens({ ...honest, cachedInput }, size)).toMatchObject({
      cachedInput: 0,
      isEstimated: true,
    });
  });

  it("lets no more be cached than was sent", () => {
    expect(countTokens({ ...honest, cachedInput: 9_999 }, size)).toMatchObject({ cachedInput: 2_100 });
  });

  it("gives whole, bounded numbers whatever a server reports", () => {
    const number = fc.oneof(fc.double(), fc.integer(), fc.constant(null));
    const usage = fc.record({ input: number, cachedInput: number, output: number });
    fc.assert(
      fc.property(usage, (reported) => {
        const { input, cachedInput, output } = countTokens(reported, size);
        for (const tokens of [input, cachedInput, output]) {
          expect(Number.isSafeInteger(tokens)).toBe(true);
          expect(tokens).toBeGreaterThanOrEqual(0);
        }
        expect(cachedInput).toBeLessThanOrEqual(input);
        expect(input).toBeLessThanOrEqual(size.sentBytes + 4_096);
        expect(output).toBeLessThanOrEqual(1_000);
      }),
    );
  });
});
