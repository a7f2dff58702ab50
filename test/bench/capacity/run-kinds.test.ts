import { describe, expect, it } from "vitest";
import { repositoryParts, runParts } from "../../../bench/capacity/costs.ts";
import { fitParts } from "../../../bench/capacity/fit.ts";
import { countsOfKind, largeKinds, type RunKind, smallKinds } from "../../../bench/capacity/run-kinds.ts";

const planted = { run: 2, checkout: 60, turn: 4, event: 0.3, second: 0.1, search: 6, write: 3, command: 12 };
const noop = { run: 1, checkout: 0, turn: 0, event: 0, second: 0, search: 0, write: 0, command: 0 };

function pointsOf(kinds: readonly RunKind[]) {
  const all = kinds.flatMap((kind) => Array(kind.batches).fill(countsOfKind(kind, kind.silentMs / 1000)));
  return all.map((counts: typeof noop, at) => {
    const cost = runParts.reduce((sum, part) => sum + planted[part] * counts[part], 0);
    // Each is off by 2 %, this way or that way.
    return { counts, cost: cost * (at % 2 === 0 ? 1.02 : 0.98) };
  });
}

describe("the kinds of runs that are measured", () => {
  it("tell every part of a run apart", () => {
    const points = [...pointsOf(smallKinds), { counts: noop, cost: planted.run }];
    const { parts, errors, largestMiss } = fitParts({ parts: runParts, points });
    expect(largestMiss).toBeLessThan(0.04);
    for (const part of runParts) {
      expect(errors[part], part).not.toBeNull();
      expect(Math.abs(parts[part] - planted[part]), part).toBeLessThan(2 * (errors[part] ?? 0));
    }
  });

  it("tell the parts apart that depend on the repository", () => {
    const points = pointsOf(largeKinds);
    const { run, turn, event, second } = planted;
    const known = points.map(
      ({ counts }) => run + turn * counts.turn + event * counts.event + second * counts.second,
    );
    const { parts, errors } = fitParts({ parts: repositoryParts, points, known });
    for (const part of repositoryParts) {
      expect(errors[part], part).not.toBeNull();
      expect(parts[part], part).toBeGreaterThan(planted[part] / 2);
      expect(parts[part], part).toBeLessThan(planted[part] * 2);
    }
  });
});
