import { describe, expect, it } from "vitest";
import { RUN_FEE_MICRO_USD } from "../../../src/service/core/money/ledger.ts";
import type { ToolRate } from "../../../src/service/core/money/rates.ts";
import { UsageMeter } from "../../../src/service/executor/usage-meter.ts";

const paid: ToolRate = { tool: "run_command", mode: "per_call", credits: 3, freePerMonth: 0, note: "" };

/** A meter of a run whose billing account has so much beside the fee. */
function meterWith(microUsd: number, toolRates: readonly ToolRate[] = []) {
  let left = microUsd;
  const raised: number[] = [];
  const meter = new UsageMeter({
    holdMicroUsd: RUN_FEE_MICRO_USD,
    raiseHold: async (missing) => {
      if (missing > left) return false;
      left -= missing;
      raised.push(missing);
      return true;
    },
    toolRates,
  });
  return { meter, raised };
}

describe("the usage meter", () => {
  it("holds what all calls under way may cost together", async () => {
    const { meter, raised } = meterWith(1_000);
    const [one, other] = [{}, {}];
    expect(await Promise.all([meter.reserve(400, one), meter.reserve(500, other)])).toEqual([true, true]);
    expect(await meter.reserve(200, "advisor")).toBe(false);
    expect(raised.reduce((sum, microUsd) => sum + microUsd, 0)).toBe(900);
    // One costs less than it might have: what is left over pays for the advisor.
    meter.count({ role: "executor", tokens: 10, microUsd: 100, call: one });
    expect(await meter.reserve(400, "advisor")).toBe(true);
    meter.count({ role: "executor", tokens: 10, microUsd: 500, call: other });
    meter.count({ role: "advisor", tokens: 10, microUsd: 400 });
    expect(raised.reduce((sum, microUsd) => sum + microUsd, 0)).toBe(1_000);
  });

  it("forgets a call that is not made", async () => {
    const { meter } = meterWith(1_000);
    expect(await meter.reserve(900)).toBe(true);
    meter.release("executor");
    expect(await meter.reserve(900, "advisor")).toBe(true);
  });

  it("sells no call of a tool with credits that another call needs", async () => {
    const { meter } = meterWith(60_000, [paid]);
    expect(await meter.reserve(20_000)).toBe(true);
    const bought = await Promise.all([1, 2, 3].map(() => meter.payForTool("run_command")));
    expect(bought).toEqual([true, false, false]);
    expect(meter.usage.roles).toEqual({ executor: { tokens: 0, calls: 0, microUsd: 25_000 } });
    expect(await meter.payForTool("read_file")).toBe(true);
  });

  it("bounds and marks what cannot be", () => {
    const { meter } = meterWith(0);
    meter.count({ role: "executor", tokens: -4.5, microUsd: Number.NaN });
    meter.count({ role: "executor", tokens: 1e300, microUsd: 2.5 });
    const { tokens = 0, microUsd = 0, isEstimated } = meter.usage.roles.executor ?? {};
    expect([Number.isSafeInteger(tokens), microUsd, isEstimated]).toEqual([true, 3, true]);
  });
});
