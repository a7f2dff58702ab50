// What an agent's requests may use together, also those that are under way at the same moment.

import { describe, expect, it } from "vitest";
import { ProxyBudget } from "../../../../../../src/service/executor/backends/acp/model-proxy/proxy-budget.ts";
import { RunBudget } from "../../../../../../src/service/executor/run-budget.ts";
import { UsageMeter } from "../../../../../../src/service/executor/usage-meter.ts";

const asked = { modelId: "claude-opus-5", inputBytes: 40_000, maxOutputTokens: 4_000 };
const { signal } = new AbortController();
const used = { input: 10_000, cachedInput: 0, cacheWrite: 0, output: 4_000, isEstimated: false };

function budgetOf(limits: { maxTokens: number; maxCostMicroUsd: number | null }) {
  const meter = new UsageMeter({
    holdMicroUsd: 1,
    raiseHold: async () => true,
    budget: new RunBudget(limits),
  });
  return { meter, budget: new ProxyBudget({ meter, rates: null, maxTokens: 1_000_000 }) };
}

describe("ProxyBudget", () => {
  it("holds requests that begin at once within the tokens: the third waits for one of the others", async () => {
    const { budget, meter } = budgetOf({ maxTokens: 40_000, maxCostMicroUsd: null });
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => budget.begin(asked, signal));
    const begun = await first;
    // Writing to the cache counts a quarter more: 16,500 each.
    expect([begun, await second]).toMatchObject([{ ok: true }, { ok: true }]);
    expect(meter.budget.room.tokens).toBe(40_000 - 2 * 16_500);
    if (begun?.ok === true) begun.count({ ...used, input: 1_000, output: 10 });
    expect(await third).toMatchObject({ ok: true, maxOutputTokens: 4_000 });
    const [, , ...others] = await Promise.all([first, second, third]);
    for (const call of [await second, ...others]) if (call?.ok === true) call.count(used);
    expect(await fourth).toEqual({ ok: false, excess: "max_tokens" });
  });

  it("gives the last one a shorter answer, where so much is not left in dollars", async () => {
    // $0.0625 for the input, $0.10 for an answer.
    const { budget } = budgetOf({ maxTokens: 0, maxCostMicroUsd: 275_000 });
    const [first, second] = [budget.begin(asked, signal), budget.begin(asked, signal)];
    const begun = await first;
    expect(begun).toMatchObject({ ok: true, maxOutputTokens: 4_000 });
    if (begun.ok) begun.count({ ...used, cacheWrite: 10_000 });
    expect(await second).toMatchObject({ ok: true, maxOutputTokens: 2_000 });
  });

  it("refuses one for which too little is left when nothing is under way", async () => {
    const { budget } = budgetOf({ maxTokens: 10_000, maxCostMicroUsd: null });
    expect(await budget.begin(asked, signal)).toEqual({ ok: false, excess: "max_tokens" });
  });

  it("lets one that has hung up wait no longer, and those behind it go on", async () => {
    const { budget } = budgetOf({ maxTokens: 20_000, maxCostMicroUsd: null });
    const gone = new AbortController();
    const first = await budget.begin(asked, signal);
    const second = budget.begin(asked, gone.signal);
    const third = budget.begin(asked, signal);
    gone.abort(new Error("Hung up."));
    await expect(second).rejects.toThrow("Hung up.");
    if (first.ok) first.count({ ...used, input: 100, output: 10 });
    expect(await third).toMatchObject({ ok: true });
  });

  it("counts what a request took in place of what was held, and nothing of one without an answer", async () => {
    const { budget, meter } = budgetOf({ maxTokens: 40_000, maxCostMicroUsd: null });
    const [first, second] = await Promise.all([budget.begin(asked, signal), budget.begin(asked, signal)]);
    if (!first.ok || !second.ok) throw new Error("A request was refused.");
    first.count({ input: 10_000, cachedInput: 9_000, cacheWrite: 0, output: 100, isEstimated: false });
    second.count(null);
    expect(meter.budget.room.tokens).toBe(40_000 - 2_000);
    expect(meter.usage.roles.executor).toMatchObject({ tokens: 10_100, calls: 1 });
  });

  it("learns how many tokens its text is", async () => {
    const { budget, meter } = budgetOf({ maxTokens: 100_000, maxCostMicroUsd: null });
    const first = await budget.begin(asked, signal);
    if (!first.ok) throw new Error("The request was refused.");
    first.count({ ...used, input: 20_000, output: 1 });
    await budget.begin(asked, signal);
    expect(meter.budget.room.tokens).toBe(100_000 - 20_001 - 29_000);
  });
});
