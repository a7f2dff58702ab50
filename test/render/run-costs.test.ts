import { describe, expect, it } from "vitest";
import type { Run } from "../../src/contract/runs/run.ts";
import { costParts, modelCostText } from "../../src/render/run-costs.ts";
import { completedRun } from "../client/run-fixtures.ts";

const budget = { counted_tokens: 10, input_tokens: 8, cached_input_tokens: 0 };
const run: Run = { ...completedRun, credits: 1, tokens: 10, gross_micro_usd: 8_333 };

describe("what a run cost", () => {
  it("is what its models cost by known prices, whatever was charged", () => {
    expect(modelCostText({ ...budget, cost_micro_usd: 400 })).toBe("$0.0004");
    expect(modelCostText({ ...budget, cost_micro_usd: 420_000, max_cost_micro_usd: 2_000_000 })).toBe(
      "$0.42 of $2.00",
    );
  });

  it("is not said where nothing was used, or no price is known", () => {
    expect([null, undefined, budget, { ...budget, cost_micro_usd: 0 }].map(modelCostText)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it("comes after credits and tokens", () => {
    const used: Run = { ...run, budget: { ...budget, cost_micro_usd: 400 } };
    expect(costParts(used)).toEqual(["1 credit", "10 tokens", "$0.0004"]);
    expect(costParts(used, { isCharged: false })).toEqual(["10 tokens", "$0.0004"]);
    expect(costParts({ ...run, credits: null, tokens: null })).toEqual(["unknown credits"]);
  });
});
