// The exact paired permutation test: its values by hand, its level by enumeration, and twenty comparisons of a version with itself.

import { describe, expect, it } from "vitest";
import { comparePairs, type Pair, SIGNIFICANCE } from "../../src/evals/paired-test.ts";

const pair = (base: number, head: number, plays = 1): Pair => ({ base, head, plays });
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

describe("the paired permutation test", () => {
  it.each([
    [times(6, pair(0, 1)), "better", 2 / 64],
    [times(6, pair(1, 0)), "worse", 2 / 64],
    [times(5, pair(0, 1)), "no_difference", 2 / 32],
    // As the exact test of McNemar: 8 of 9 discordant pairs, 2 * (1 + 9) / 2^9.
    [[...times(8, pair(0, 1)), pair(1, 0), ...times(4, pair(1, 1))], "better", 20 / 512],
    [[...times(7, pair(0, 1)), ...times(2, pair(1, 0))], "no_difference", (2 * (1 + 9 + 36)) / 512],
    [times(10, pair(1, 1)), "no_difference", 1],
    [[], "no_difference", 1],
    // Sums of ±2 and ±1: 3 is reached by 2 of 4 choices.
    [[pair(0, 2, 2), pair(1, 2, 2)], "no_difference", 1 / 2],
    // A half counts as half, however often its task was played.
    [[pair(0, 1, 1), pair(1, 2, 2)], "no_difference", 1 / 2],
  ] as const)("of %j is %s with p = %d", (pairs, verdict, p) => {
    const compared = comparePairs(pairs);
    expect(compared.verdict).toBe(verdict);
    expect(compared.p).toBeCloseTo(p, 12);
    expect(compared.n).toBe(pairs.length);
  });

  it("leaves out tasks that nobody played, and says when there are too few", () => {
    const compared = comparePairs([pair(0, 0, 0), ...times(5, pair(0, 1))]);
    expect(compared).toMatchObject({ n: 5, smallestP: 1 / 16 });
    expect(compared.smallestP).toBeGreaterThan(SIGNIFICANCE);
  });

  it.each([0.1, 0.5, 0.8])(
    "calls equal versions different in at most one of twenty cases: chance %d",
    (chance) => {
      // Every outcome of eight tasks, each solved with this chance by both, with its probability.
      const equal = chance ** 2 + (1 - chance) ** 2;
      const other = chance * (1 - chance);
      let level = 0;
      for (let code = 0; code < 3 ** 8; code += 1) {
        const outcome = times(8, 0).map((_, at) => Math.floor(code / 3 ** at) % 3);
        const pairs = outcome.map((one) => (one === 0 ? pair(1, 1) : one === 1 ? pair(0, 1) : pair(1, 0)));
        if (comparePairs(pairs).verdict === "no_difference") continue;
        level += outcome.reduce((share, one) => share * (one === 0 ? equal : other), 1);
      }
      expect(level).toBeLessThanOrEqual(SIGNIFICANCE);
    },
  );

  it("finds no difference between a version and itself in 20 of 20", () => {
    const random = sequence(150);
    const verdicts = times(20, null).map(() => {
      const chances = times(10, null).map(() => random());
      const plays = () => Number(random() < 0.5) + Number(random() < 0.5);
      return comparePairs(chances.map(() => pair(plays(), plays(), 2))).verdict;
    });
    expect(verdicts).toEqual(times(20, "no_difference"));
  });
});

/** The same numbers in [0, 1) every time: a linear congruential generator. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (1_664_525 * state + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
