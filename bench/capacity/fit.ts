// Weighted least squares with no part below zero: what each part of a measured whole costs, how sure that is, and how far the
// whole is missed. Pure.

/** One measurement: so many of each part together cost so much. */
export type Point<Part extends string> = {
  readonly counts: Readonly<Record<Part, number>>;
  readonly cost: number;
};

export type Fit<Part extends string> = {
  /** What one of each part costs, never below zero. */
  readonly parts: Readonly<Record<Part, number>>;
  /** Two standard errors of each part. Null: no point has the part, or the points cannot tell it from the others. */
  readonly errors: Readonly<Record<Part, number | null>>;
  /** Shares of a point's cost by which the fit misses it. */
  readonly largestMiss: number;
  readonly medianMiss: number;
};

export type FitOptions<Part extends string> = {
  readonly parts: readonly Part[];
  readonly points: readonly Point<Part>[];
  /** What is known of each point's cost, in the points' order, and not to be explained by the parts. */
  readonly known?: readonly number[];
};

/** Of the largest cost: below it a miss counts as if the point cost this, since nothing is measured more finely. */
const FLOOR = 0.02;
/** A part whose column differs from the others' combination by less of its length cannot be told apart from them. */
const LEAST_DISTANCE = 0.03;
const SINGULAR = 1e-9;

/**
 * The parts that come closest to the points, by relative error: a point that costs little counts as much as one that costs a lot.
 * Throws RangeError where there are no more points than parts, since nothing would be left to judge the fit by.
 */
export function fitParts<Part extends string>(options: FitOptions<Part>): Fit<Part> {
  const { parts, points, known = points.map(() => 0) } = options;
  if (points.length <= parts.length) {
    throw new RangeError(`A fit of ${parts.length} parts needs more points, got ${points.length}.`);
  }
  const floor = FLOOR * Math.max(...points.map(({ cost }) => cost));
  if (floor <= 0) return noCost(parts);
  const weights = points.map(({ cost }) => 1 / Math.max(cost, floor));
  const columns = parts.map((part) => points.map(({ counts }, at) => counts[part] * (weights[at] ?? 0)));
  const wanted = points.map(({ cost }, at) => (cost - (known[at] ?? 0)) * (weights[at] ?? 0));
  const solved = leastSquaresAboveZero(columns, wanted);
  const misses = wanted.map((value, at) => Math.abs(value - combine(columns, solved, at)));
  const distances = columns.map((column, at) => distance(column, columns.toSpliced(at, 1)));
  const variance = dot(misses, misses) / (points.length - parts.length);
  const errors = columns.map((column, at) => {
    const apart = distances[at] ?? 0;
    return apart < LEAST_DISTANCE ? null : (2 * Math.sqrt(variance)) / (length(column) * apart);
  });
  const sorted = misses.toSorted((a, b) => a - b);
  return {
    parts: byName(parts, (at) => solved[at] ?? 0),
    errors: byName(parts, (at) => errors[at] ?? null),
    largestMiss: sorted.at(-1) ?? 0,
    medianMiss: ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2,
  };
}

/** Nothing was spent at any point. */
function noCost<Part extends string>(parts: readonly Part[]): Fit<Part> {
  return { parts: byName(parts, () => 0), errors: byName(parts, () => 0), largestMiss: 0, medianMiss: 0 };
}

function byName<Part extends string, Value>(
  parts: readonly Part[],
  valueAt: (index: number) => Value,
): Record<Part, Value> {
  return Object.fromEntries(parts.map((part, at) => [part, valueAt(at)])) as Record<Part, Value>;
}

/** Tries each choice of columns that may count: with a dozen of them that is fast enough, and finds the best one for sure. */
function leastSquaresAboveZero(columns: readonly (readonly number[])[], wanted: readonly number[]): number[] {
  let best = { parts: columns.map(() => 0), miss: dot(wanted, wanted) };
  for (let choice = 2 ** columns.length - 1; choice > 0; choice -= 1) {
    const chosen = columns.flatMap((_, at) => ((choice >> at) & 1 ? [at] : []));
    const solved = leastSquares(
      chosen.map((at) => columns[at] ?? []),
      wanted,
    );
    if (solved === null || solved.some((value) => value < 0)) continue;
    const parts = columns.map((_, at) => solved[chosen.indexOf(at)] ?? 0);
    const miss = wanted.reduce((sum, value, at) => sum + (value - combine(columns, parts, at)) ** 2, 0);
    // Of equal ones the first: it has the most parts.
    if (miss < best.miss * (1 - 1e-9)) best = { parts, miss };
  }
  return best.parts;
}

/** By Gram and Schmidt's orthogonal basis. Null where a column is a combination of those before it. */
function leastSquares(columns: readonly (readonly number[])[], wanted: readonly number[]): number[] | null {
  const basis: number[][] = [];
  const upper: number[][] = [];
  for (const column of columns) {
    const { rest, shares } = projectedOut(column, basis);
    const size = length(rest);
    if (size <= SINGULAR * length(column)) return null;
    basis.push(rest.map((value) => value / size));
    upper.push([...shares, size]);
  }
  const solved = columns.map(() => 0);
  for (let at = columns.length - 1; at >= 0; at -= 1) {
    let value = dot(basis[at] ?? [], wanted);
    for (let later = at + 1; later < columns.length; later += 1)
      value -= (upper[later]?.[at] ?? 0) * (solved[later] ?? 0);
    solved[at] = value / (upper[at]?.[at] ?? 1);
  }
  return solved;
}

/** How far a column is from what the others can combine to, as a share of its length; 0 for a column of zeros. */
function distance(column: readonly number[], others: readonly (readonly number[])[]): number {
  const size = length(column);
  if (size === 0) return 0;
  const basis: number[][] = [];
  for (const other of others) {
    const { rest } = projectedOut(other, basis);
    if (length(rest) > SINGULAR * length(other)) basis.push(rest.map((value) => value / length(rest)));
  }
  return length(projectedOut(column, basis).rest) / size;
}

function projectedOut(
  column: readonly number[],
  basis: readonly (readonly number[])[],
): { rest: number[]; shares: number[] } {
  let rest = [...column];
  const shares = basis.map((direction) => {
    const share = dot(direction, rest);
    rest = rest.map((value, at) => value - share * (direction[at] ?? 0));
    return share;
  });
  return { rest, shares };
}

function combine(columns: readonly (readonly number[])[], parts: readonly number[], at: number): number {
  return columns.reduce((sum, column, part) => sum + (column[at] ?? 0) * (parts[part] ?? 0), 0);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

function length(column: readonly number[]): number {
  return Math.sqrt(dot(column, column));
}
