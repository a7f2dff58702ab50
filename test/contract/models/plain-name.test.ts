// Names of models as gateways and clouds write them, and what follows for prices, limits and what a refused name is.

import { describe, expect, it } from "vitest";
import { plainName } from "../../../src/contract/models/plain-name.ts";
import { refusesModelName } from "../../../src/contract/models/refused-name.ts";
import { listPrices } from "../../../src/service/core/money/list-prices.ts";
import { limitsOfModel } from "../../../src/service/executor/backends/model/wires/model-limits.ts";

describe("the plain name of a model", () => {
  it.each([
    ["claude-sonnet-5", "claude-sonnet-5", false],
    ["anthropic/claude-sonnet-5", "claude-sonnet-5", false],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929", true],
    ["global.anthropic.claude-sonnet-5", "claude-sonnet-5", false],
    ["anthropic.claude-sonnet-5", "claude-sonnet-5", false],
    ["openai.gpt-oss-120b-1:0", "gpt-oss-120b-1", false],
    ["openai.gpt-5.5", "gpt-5.5", false],
    ["moonshotai.kimi-k2.5", "kimi-k2.5", false],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5", false],
    ["gpt-4.1", "gpt-4.1", false],
    ["gemini-2.5-pro", "gemini-2.5-pro", false],
    ["deepseek-v4", "deepseek-v4", false],
    ["qwen/qwen3-coder:free", "qwen3-coder:free", false],
  ])("of %s is %s", (id, name, isRegional) => {
    expect(plainName(id)).toEqual({ name, isRegional });
  });

  it("has the list price, and a tenth more where the cloud keeps it in a part of the world", () => {
    const listed = listPrices("claude-sonnet-5");
    expect(listPrices("global.anthropic.claude-sonnet-5")).toEqual(listed);
    expect(listPrices("claude-sonnet-5")?.outNanoUsdPerToken).toBe(10_000);
    expect(listPrices("eu.anthropic.claude-sonnet-5")?.outNanoUsdPerToken).toBe(11_000);
    expect(listPrices("us.anthropic.claude-haiku-5-5")?.long?.outNanoUsdPerToken).toBe(2_750);
    expect(listPrices("claude-sonnet-4-5@20250929")).not.toBeNull();
    expect(limitsOfModel("us.anthropic.claude-sonnet-4-6")).toEqual(limitsOfModel("claude-sonnet-4-6"));
  });

  it.each([
    [400, "Invocation of model ID x with on-demand throughput isn’t supported. Retry your request", true],
    [400, "The model x isn't supported on this route.", true],
    [400, "The provided model identifier is invalid.", true],
    [429, "The provided model identifier is invalid.", false],
    [400, "max_tokens: must be greater than 0", false],
  ])("is refused by %s %s: %s", (status, text, isRefused) => {
    expect(refusesModelName(status, text)).toBe(isRefused);
  });
});
