// What an agent's requests may use together, also those that are under way at the same moment.

import { describe, expect, it } from "vitest";
import { ProxyBudget } from "../../../../../../src/service/executor/backends/acp/model-proxy/proxy-budget.ts";
import { RunBudget } from "../../../../../../src/service/executor/run-budget.ts";
import { UsageMeter } from "../../../../../../src/service/executor/usage-meter.ts";

const asked = { modelId: "claude-opus-5", inputTokens: 10_000, maxOutputTokens: 4_000 };

function budgetOf(limits: { maxTokens: number; maxCostMicroUsd: number | null }) {
  const meter = new UsageMeter({
    holdMicroUsd: 1,
    raiseHold: async () => true,
    budget: new RunBudget(limits),
  });
  return { meter, budget: new ProxyBudget({ meter, rates: null, maxTokens: 1_000_000 }) };
}

describe("ProxyBudget", () => {
  it("holds requests that begin at once within the tokens", async () => {
    const { budget } = budgetOf({ maxTokens: 40_000, maxCostMicroUsd: null });
    const begun = await Promise.all(Array.from({ length: 5 }, () => budget.begin(asked)));
    // Writing to the cache counts a quarter more: 16,500 each.
    expect(begun.map(({ ok }) => ok)).toEqual([true, true, false, false, false]);
    expect(begun[2]).toEqual({ ok: false, excess: "max_tokens" });
  });

  it("holds them within the dollars, with a shorter answer where so much is not left", async () => {
    // $0.0625 for the input, $0.10 for an answer.
    const { budget } = budgetOf({ maxTokens: 0, maxCostMicroUsd: 275_000 });
    const begun = await Promise.all([budget.begin(asked), budget.begin(asked), budget.begin(asked)]);
    expect(begun.map((call) => (call.ok ? call.maxOutputTokens : call.excess))).toEqual([
      4_000,
      2_000,
      "max_cost",
    ]);
  });

  it("counts what a request took in place of what was held, and nothing of one without an answer", async () => {
    const { budget, meter } = budgetOf({ maxTokens: 40_000, maxCostMicroUsd: null });
    const [first, second] = await Promise.all([budget.begin(asked), budget.begin(asked)]);
    if (!first.ok || !second.ok) throw new Error("A request was refused.");
    first.count({ input: 10_000, cachedInput: 9_000, cacheWrite: 0, output: 100, isEstimated: false });
    second.count(null);
    expect(meter.budget.room.tokens).toBe(40_000 - 2_000);
    expect(meter.usage.roles.executor).toMatchObject({ tokens: 10_100, calls: 1 });
  });
});
