// Numbers about numbers. Pure.

/** The value below which `share` (0 to 1) of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Of the straight line with the least squares through points [x, y]: y's growth for each x. */
export function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const up = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return up / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
