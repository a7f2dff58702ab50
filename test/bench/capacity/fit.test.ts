import { describe, expect, it } from "vitest";
import { fitParts, type Point } from "../../../bench/capacity/fit.ts";

const parts = ["run", "turn", "event"] as const;
type Part = (typeof parts)[number];
const planted = { run: 10, turn: 5, event: 1 };

function point(turn: number, event: number, noise = 1): Point<Part> {
  const cost = planted.run + planted.turn * turn + planted.event * event;
  return { counts: { run: 1, turn, event }, cost: cost * noise };
}

const apart = [point(0, 4), point(1, 10), point(1, 300), point(10, 60), point(5, 500)];

/** A fixed sequence that looks random, from -1 to 1. */
function noises(count: number): number[] {
  let state = 7;
  return Array.from({ length: count }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return (state / 2_147_483_647) * 2 - 1;
  });
}

describe("a fit", () => {
  it("finds what was planted, and misses nothing", () => {
    const fit = fitParts({ parts, points: apart });
    for (const part of parts) expect(fit.parts[part]).toBeCloseTo(planted[part], 6);
    expect(fit.largestMiss).toBeCloseTo(0, 6);
    expect(fit.medianMiss).toBeCloseTo(0, 6);
  });

  it("finds it in noisy points within the errors that it tells", () => {
    const counts = Array.from({ length: 40 }, (_, at) => [at % 7, (at * 37) % 211] as const);
    const noise = noises(counts.length);
    const points = counts.map(([turn, event], at) => point(turn, event, 1 + 0.1 * (noise[at] ?? 0)));
    const fit = fitParts({ parts, points });
    for (const part of parts) {
      const error = fit.errors[part] ?? Number.NaN;
      // Two standard errors hold in 19 of 20 cases: three are certain enough for a fixed sequence.
      expect(Math.abs(fit.parts[part] - planted[part])).toBeLessThan(1.5 * error);
      expect(error).toBeLessThan(planted[part] / 2);
    }
    expect(fit.largestMiss).toBeGreaterThan(fit.medianMiss);
    expect(fit.largestMiss).toBeLessThan(0.15);
  });

  it("lets a small point count as much as a large one", () => {
    // Large runs are 3 % dearer than planted: a fit of absolute errors would put that on the run, and miss the small one by far.
    const points = [point(0, 4), point(0, 5), point(1, 10), point(100, 6_000, 1.03), point(10, 9_000, 1.03)];
    const { largestMiss } = fitParts({ parts, points });
    expect(largestMiss).toBeLessThan(0.03);
  });

  it("has no part below zero", () => {
    // More turns make it cheaper: noise.
    const points = [
      { counts: { run: 1, turn: 1, event: 10 }, cost: 100 },
      { counts: { run: 1, turn: 6, event: 60 }, cost: 90 },
      { counts: { run: 1, turn: 6, event: 260 }, cost: 80 },
      { counts: { run: 1, turn: 9, event: 10 }, cost: 80 },
    ];
    const fit = fitParts({ parts, points });
    expect(fit.parts.turn).toBe(0);
    expect(fit.parts.event).toBe(0);
    // The mean with weights 1 ÷ cost²: (Σ 1 ÷ cost) ÷ (Σ 1 ÷ cost²).
    const weighted = (power: number) => points.reduce((sum, { cost }) => sum + 1 / cost ** power, 0);
    expect(fit.parts.run).toBeCloseTo(weighted(1) / weighted(2), 9);
    // It is told that a turn may cost something all the same.
    expect(fit.errors.turn).toBeGreaterThan(0);
  });

  it("tells how far it misses each point, as a share of the point", () => {
    const points = [80, 100, 100, 125].map((cost) => ({ counts: { run: 1 }, cost }));
    const fit = fitParts({ parts: ["run"], points });
    const { run } = fit.parts;
    const missed = [80, 100, 100, 125].map((cost) => Math.abs(run - cost) / cost).toSorted((a, b) => a - b);
    expect(fit.largestMiss).toBeCloseTo(missed[3] ?? Number.NaN, 9);
    expect(fit.medianMiss).toBeCloseTo(((missed[1] ?? 0) + (missed[2] ?? 0)) / 2, 9);
  });

  it("tells that parts which go together cannot be told apart", () => {
    // Ten events a turn at every point, as far as the measurement is exact.
    const points = [1, 2, 4, 6, 9].map((turn) => point(turn, turn * 10 + (turn === 4 ? 0.01 : 0)));
    const { errors } = fitParts({ parts, points });
    expect(errors.turn).toBeNull();
    expect(errors.event).toBeNull();
    expect(errors.run).not.toBeNull();
    const nobodyCommands = fitParts({
      parts: ["run", "command"],
      points: [1, 2, 3].map((cost) => ({ counts: { run: 1, command: 0 }, cost })),
    });
    expect(nobodyCommands.errors.command).toBeNull();
  });

  it("explains what is left of what is known", () => {
    const known = apart.map(({ counts }) => planted.run + planted.event * counts.event);
    const fit = fitParts({ parts: ["turn"], points: apart, known });
    expect(fit.parts.turn).toBeCloseTo(5, 9);
    expect(fit.largestMiss).toBeCloseTo(0, 9);
  });

  it("of what costs nothing costs nothing", () => {
    const points = apart.map(({ counts }) => ({ counts, cost: 0 }));
    expect(fitParts({ parts, points })).toEqual({
      parts: { run: 0, turn: 0, event: 0 },
      errors: { run: 0, turn: 0, event: 0 },
      largestMiss: 0,
      medianMiss: 0,
    });
  });

  it("needs more points than parts: there would be no miss to tell", () => {
    expect(() => fitParts({ parts, points: apart.slice(0, 3) })).toThrow(
      "A fit of 3 parts needs more points, got 3.",
    );
  });
});
