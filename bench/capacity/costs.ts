// What runs, polls and sockets cost a deployment, as `npm run bench -- capacity` measured it. Pure.

import * as z from "zod/mini";

/** What a run with so many turns and events costs: `run + turns × turn + events × event`. */
export type RunCost = z.infer<typeof runCostSchema>;
export type Costs = z.infer<typeof costsSchema>;
export type StoreCosts = Costs["sqlite"];
export type DatabaseCosts = NonNullable<Costs["database"]>;

const runCostSchema = z.strictObject({ run: z.number(), turn: z.number(), event: z.number() });

/** CPU is milliseconds of one core, sizes are bytes. */
const storeCostsSchema = z.strictObject({
  /** Of the node's process and its children, with one poll that follows the run. */
  runCpuMs: runCostSchema,
  /** A poll answered with an event, and the next one begun. */
  pollCpuMs: z.number(),
  pollBytes: z.number(),
  /** An event delivered to one socket. */
  deliveryCpuMs: z.number(),
  socketOpenCpuMs: z.number(),
  socketBytes: z.number(),
  /** Resident memory of a node once ready, and what each run at work added at the most. */
  baseBytes: z.number(),
  workingRunBytes: z.number(),
  /** What is stored of a run: for ever, and until it expires. */
  recordBytes: z.number(),
  inputBytes: z.number(),
  eventBytes: z.number(),
});

const databaseCostsSchema = z.strictObject({
  /** Of all processes of PostgreSQL, with one poll that follows the run. */
  runCpuMs: runCostSchema,
  transactions: runCostSchema,
  walBytes: runCostSchema,
  /** Time for which a connection executes a statement or holds a transaction open. */
  connectionMs: runCostSchema,
  /** A poll answered with an event, and the next one begun. */
  pollCpuMs: z.number(),
  /** CPU of every node for each event of another one. */
  signalCpuMs: z.number(),
});

export const costsSchema = z.strictObject({
  /** The day, YYYY-MM-DD. */
  measuredOn: z.string(),
  machine: z.string(),
  sqlite: storeCostsSchema,
  /** Both null where there was no PostgreSQL to start. */
  postgres: z.nullable(storeCostsSchema),
  database: z.nullable(databaseCostsSchema),
});

export function costOf(cost: RunCost, run: { turns: number; events: number }): number {
  return cost.run + run.turns * cost.turn + run.events * cost.event;
}

/** One measured run. */
export type Point = { readonly turns: number; readonly events: number; readonly cost: number };

/**
 * The cost that comes closest to three measurements or more, with no part below zero: noise must not pay for a turn with
 * events.
 */
export function solveRunCost(points: readonly Point[]): RunCost {
  let best = { cost: { run: 0, turn: 0, event: 0 }, miss: Number.POSITIVE_INFINITY };
  for (const counts of countedParts) {
    const [run = 0, turn = 0, event = 0] = leastSquares(points, counts);
    if (!(run >= 0 && turn >= 0 && event >= 0)) continue;
    const cost = { run, turn, event };
    const miss = points.reduce((sum, point) => sum + (costOf(cost, point) - point.cost) ** 2, 0);
    // Of equal ones the first: it has the most parts.
    if (miss < best.miss * (1 - 1e-9)) best = { cost, miss };
  }
  return best.cost;
}

/** Which of a run, a turn and an event may cost something, from all of them to none. */
const countedParts = [0, 1, 2, 4, 3, 5, 6, 7].map((left) =>
  [1, 2, 4].map((bit) => ((left & bit) === 0 ? 1 : 0)),
);

/** Costs of a run, a turn and an event with the least squares. Those that do not count are zero. */
function leastSquares(points: readonly Point[], counts: readonly number[]): number[] {
  const rows = points.map(({ turns, events, cost }) => ({ factors: [1, turns, events], cost }));
  // The normal equations; one that does not count says that it is zero.
  const equations = counts.map((isCounted, at) => {
    if (isCounted === 0) return [...counts.map((_, column) => (column === at ? 1 : 0)), 0];
    const sums = counts.map((counted, column) =>
      rows.reduce((sum, { factors }) => sum + counted * (factors[at] ?? 0) * (factors[column] ?? 0), 0),
    );
    return [...sums, rows.reduce((sum, { factors, cost }) => sum + (factors[at] ?? 0) * cost, 0)];
  });
  return solve(equations);
}

/** Gauss-Jordan elimination of three equations, the right side last in each. NaN where they do not decide. */
function solve(equations: readonly (readonly number[])[]): number[] {
  let rows = equations.map((row) => [...row]);
  for (let column = 0; column < rows.length; column += 1) {
    const pivot = rows
      .slice(column)
      .reduce((a, b) => (Math.abs(b[column] ?? 0) > Math.abs(a[column] ?? 0) ? b : a));
    const others = rows.filter((row) => row !== pivot);
    rows = [...others.slice(0, column), pivot, ...others.slice(column)].map((row) => {
      const factor = (row[column] ?? 0) / (pivot[column] ?? 0);
      return row === pivot ? row : row.map((value, index) => value - factor * (pivot[index] ?? 0));
    });
  }
  return rows.map((row, index) => (row.at(-1) ?? 0) / (row[index] ?? 0));
}
