// The exact paired permutation test (Fisher's randomization test) of two versions over the same tasks. Pure.
// Why: docs/decisions/150-evals.md

/** How often a task was solved by each version, out of as many plays of each. */
export type Pair = { readonly base: number; readonly head: number; readonly plays: number };

export type PairedComparison = {
  readonly verdict: "better" | "worse" | "no_difference";
  /** Two-sided. 1 without tasks. */
  readonly p: number;
  /** Tasks that were played by both. */
  readonly n: number;
  /** The smallest p that so many tasks can have. */
  readonly smallestP: number;
};

export const SIGNIFICANCE = 0.05;

/**
 * Where the versions do the same, the difference of each task has either sign with the same chance. p is the share of all 2^n choices of
 * signs whose sum is at least as far from 0 as the one that was seen. With one play a task it is the exact test of McNemar.
 */
export function comparePairs(pairs: readonly Pair[]): PairedComparison {
  const played = pairs.filter(({ plays }) => plays > 0);
  const common = played.reduce((product, { plays }) => leastCommonMultiple(product, plays), 1);
  const differences = played.map(({ base, head, plays }) => ((head - base) * common) / plays);
  const sum = differences.reduce((total, one) => total + one, 0);
  const p = shareAsFar(differences, Math.abs(sum));
  const n = played.length;
  const verdict = p > SIGNIFICANCE || sum === 0 ? "no_difference" : sum > 0 ? "better" : "worse";
  return { verdict, p, n, smallestP: Math.min(1, 2 ** (1 - n)) };
}

/** By the distribution of the sum, one task after the other: as many steps as there are sums, not as there are choices. */
function shareAsFar(differences: readonly number[], seen: number): number {
  let sums = new Map<number, number>([[0, 1]]);
  for (const difference of differences) {
    const next = new Map<number, number>();
    for (const [sum, share] of sums) {
      for (const one of [sum + difference, sum - difference]) next.set(one, (next.get(one) ?? 0) + share / 2);
    }
    sums = next;
  }
  let share = 0;
  for (const [sum, part] of sums) if (Math.abs(sum) >= seen) share += part;
  return Math.min(1, share);
}

function leastCommonMultiple(one: number, other: number): number {
  let [a, b] = [one, other];
  while (b !== 0) [a, b] = [b, a % b];
  return (one / a) * other;
}
