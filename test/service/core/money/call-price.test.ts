import { describe, expect, it } from "vitest";
import { costOfCall, countedTokens, mostCostOfCall } from "../../../../src/service/core/money/call-price.ts";
import { listPrices } from "../../../../src/service/core/money/list-prices.ts";
import { pricesOf } from "../../../../src/service/core/money/model-prices.ts";
import { findCostFault } from "../../../../src/service/core/runs/find-cost-fault.ts";
import { defaultRates } from "../../../../src/service/settings/default-rates.ts";

const call = { input: 10_000, cachedInput: 7_000, cacheWrite: 2_000, output: 500 };

describe("the price of a call", () => {
  it("charges each kind of input by its own price", () => {
    const opus = listPrices("claude-opus-5");
    if (opus === null) throw new Error("claude-opus-5 has no price.");
    // 1,000 at $5, 7,000 at $0.50, 2,000 at $6.25, 500 at $25 a million.
    expect(costOfCall(opus, call)).toBe(5_000 + 3_500 + 12_500 + 12_500);
    expect(mostCostOfCall(opus, call)).toBe(62_500 + 12_500);
    expect(countedTokens(opus, call)).toBe(1_000 + 700 + 2_500 + 500);
    expect(countedTokens(null, call)).toBe(1_000 + 700 + 2_000 + 500);
  });

  it("is that of a long request above its threshold", () => {
    const haiku = listPrices("claude-haiku-5-5");
    if (haiku === null) throw new Error("claude-haiku-5-5 has no price.");
    const plain = { cachedInput: 0, cacheWrite: 0, output: 0 };
    expect(costOfCall(haiku, { ...plain, input: 100_000 })).toBe(10_000);
    expect(costOfCall(haiku, { ...plain, input: 100_001 })).toBe(50_001);
  });

  it.each([
    ["claude-sonnet-4-5-20250929", 3_000],
    ["anthropic/claude-sonnet-4.5", 3_000],
    ["gpt-5.4-2026-03-05", 2_500],
    ["openai/gpt-6.1-sol", 2_000],
    ["GEMINI-2.5-PRO", 1_250],
    ["claude-fable-5-2", 8_000],
    ["gpt-6.2-sol", 2_000],
    ["gpt-6.1-terra", 1_000],
    // By what it costs once its first weeks are over.
    ["gemini-4-carbon", 4_000],
    ["x-ai/grok-4.6", 2_000],
    ["deepseek/deepseek-flash", 300],
    ["qwen3.8-max", 2_000],
    ["moonshotai/kimi-k3.1-pro", 2_000],
    ["z-ai/glm-5.3", 1_400],
    ["mistral-medium-2604", 1_500],
  ])("is listed for %s", (model, input) => {
    expect(listPrices(model)?.inNanoUsdPerToken).toBe(input);
  });

  it.each(["scripted-model", "", "constructor", "claude-opus-5-preview", "my-gpt-5"])(
    "is not for %s",
    (model) => {
      expect(listPrices(model)).toBeNull();
    },
  );

  it("is the operator's where the operator sets any", () => {
    const own = {
      id: "claude-opus-5",
      inNanoUsdPerToken: 1,
      outNanoUsdPerToken: 2,
      isFreeTierEligible: false,
    };
    expect(pricesOf({ ...defaultRates, models: [own] })("claude-opus-5")).toMatchObject({
      inNanoUsdPerToken: 1,
    });
    const modelPrice = { model: "acme-1", input: 2, cached: 0.2, output: 10 };
    const prices = pricesOf({ ...defaultRates, modelPrice });
    expect(prices("acme-1")).toEqual({
      inNanoUsdPerToken: 2_000,
      cachedInNanoUsdPerToken: 200,
      cacheWriteNanoUsdPerToken: 2_000,
      outNanoUsdPerToken: 10_000,
    });
    expect(prices("acme-2")).toBeNull();
    expect(pricesOf({ models: [own], otherModels: "refused" })("gpt-5")).toBeNull();
    expect(pricesOf(defaultRates)("gpt-5")).not.toBeNull();
    expect(pricesOf(null)("gpt-5")).not.toBeNull();
  });
});

describe("a run that is to be held to an amount", () => {
  const core = { rates: defaultRates, policy: { coderWire: null, defaultModel: "local-model" } };
  const agent = { backend: "model", model: null };
  it.each([
    ["the service's own model without a price", core, { agent, broughtModel: null }, "price_unknown"],
    ["a model that it brings, with one", core, { agent, broughtModel: "gpt-5.5" }, null],
    [
      "its agent's model, with one",
      core,
      { agent: { ...agent, model: "claude-opus-5" }, broughtModel: null },
      null,
    ],
    ["no model at all", core, { agent: { ...agent, backend: "offline" }, broughtModel: null }, null],
    [
      "an agent that reaches its model by itself",
      { ...core, policy: { ...core.policy, coderWire: { backend: "acp", wire: null } } },
      { agent: { ...agent, backend: "acp" }, broughtModel: null },
      "cost_unmeasured",
    ],
  ] as const)("by %s", (_what, given, run, reason) => {
    expect(findCostFault(given, run)?.reason ?? null).toBe(reason);
  });
});
