// A run that reaches a bound is asked once more for what is done and what is left, and that answer has room in the bound.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import { answer, call, say } from "../../../../../fakes/model-server/turn.ts";
import { RunBudget } from "../../../../../src/service/executor/run-budget.ts";
import { UsageMeter } from "../../../../../src/service/executor/usage-meter.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, type ModelFixtureOptions, providers, ratesOf } from "./model-fixture.ts";

const priced = ratesOf({
  id: "scripted-model",
  inNanoUsdPerToken: 1_000,
  cachedInNanoUsdPerToken: 100,
  outNanoUsdPerToken: 5_000,
});

describe.each(providers)("a bound of a run of the model by %s", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;

  beforeEach(() => {
    recorder = new TaskRecorder();
  });
  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  /** Looks on and on, until it is told to finish. */
  const busy = (usage: { readonly input: number; readonly output: number; readonly cacheRead?: number }) =>
    everyTime(({ assistantTurns, lastUserMessage }) =>
      lastUserMessage.includes("Call no tool")
        ? answer([say("Half is done.")], { usage })
        : answer([call("list_files", { limit: assistantTurns + 1 })], { usage }),
    );
  const start = async (script: ModelFixtureOptions["script"], options: Partial<ModelFixtureOptions> = {}) => {
    fixture = await ModelFixture.start({ provider, script, ...options });
  };
  const meterOf = (limits: { maxTokens: number; maxCostMicroUsd: number | null }) =>
    new UsageMeter({ holdMicroUsd: 1, raiseHold: async () => true, budget: new RunBudget(limits) });

  it("of tokens leaves room for the turn that wraps it up", async () => {
    await start(busy({ input: 3_000, output: 400 }));
    const meter = meterOf({ maxTokens: 60_000, maxCostMicroUsd: null });
    expect(await fixture.run({ meter }, recorder)).toEqual({ stopReason: "max_tokens" });
    expect(recorder.text()).toBe("Half is done.");
    expect(fixture.server.requests.at(-1)?.lastUserMessage).toContain("The run's limit of tokens is reached");
    const { countedTokens, maxTokens } = meter.budget.use;
    expect(maxTokens).toBe(60_000);
    expect(countedTokens).toBeLessThanOrEqual(60_000);
    expect(countedTokens).toBeGreaterThan(30_000);
  });

  it("of cost is held before each call", async () => {
    await start(busy({ input: 3_000, output: 400 }), { settings: { rates: priced } });
    const meter = meterOf({ maxTokens: 0, maxCostMicroUsd: 100_000 });
    expect(await fixture.run({ meter }, recorder)).toEqual({ stopReason: "max_cost" });
    expect(recorder.text()).toBe("Half is done.");
    expect(fixture.server.requests.at(-1)?.lastUserMessage).toContain("The run's limit of cost is reached");
    const { costMicroUsd } = meter.budget.use;
    expect(costMicroUsd).toBeLessThanOrEqual(100_000);
    expect(costMicroUsd).toBe(meter.usage.roles.executor?.microUsd);
    expect(costMicroUsd).toBeGreaterThan(50_000);
  });

  it("of cost holds by published prices where the service charges nothing", async () => {
    await start(busy({ input: 3_000, output: 400 }));
    const meter = meterOf({ maxTokens: 0, maxCostMicroUsd: 200_000 });
    const outcome = await fixture.run({ meter, model: "claude-opus-5-20260724" }, recorder);
    expect(outcome).toEqual({ stopReason: "max_cost" });
    expect(meter.usage.roles.executor?.microUsd).toBe(0);
    expect(meter.budget.use.costMicroUsd).toBe(fixture.server.requests.length * (3_000 * 5 + 400 * 25));
  });

  it("of cost asks no model without a price", async () => {
    await start([say("Never.")]);
    const meter = meterOf({ maxTokens: 0, maxCostMicroUsd: 5_000_000 });
    expect(await fixture.run({ meter }, recorder)).toEqual({ stopReason: "max_cost" });
    expect(fixture.server.requests).toEqual([]);
  });

  it("of tokens counts input from the cache by its price, and records all of it", async () => {
    await start(busy({ input: 3_000, output: 100, cacheRead: 2_500 }), {
      settings: { rates: priced, maxTurns: 30 },
    });
    const meter = meterOf({ maxTokens: 200_000, maxCostMicroUsd: null });
    expect(await fixture.run({ meter }, recorder)).toEqual({ stopReason: "max_turns" });
    // 30 calls of 500 fresh, 2,500 cached at a tenth, 100 out.
    expect(meter.budget.use).toMatchObject({
      countedTokens: 30 * 850,
      inputTokens: 90_000,
      cachedInputTokens: 75_000,
    });
    expect(meter.usage.roles.executor?.tokens).toBe(30 * 3_100);
  });

  it("of time has a last turn before its end", async () => {
    await start(busy({ input: 100, output: 10 }));
    let leftMs = 600_000;
    const deadline = {
      limitMs: 600_000,
      leftMs: () => {
        leftMs -= 100_000;
        return leftMs;
      },
    };
    expect(await fixture.run({ deadline }, recorder)).toEqual({ stopReason: "time_limit" });
    expect(recorder.text()).toBe("Half is done.");
    expect(fixture.server.requests).toHaveLength(6);
  });

  it("is told to the model on the way, each share once and after the newest results", async () => {
    await start(busy({ input: 100, output: 10 }), { settings: { maxTurns: 8 } });
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "max_turns" });
    const told = fixture.server.requests.map(
      ({ body }) => JSON.stringify(body).split("[Left of this run").length - 1,
    );
    expect(told).toEqual([0, 0, 0, 0, 1, 1, 2, 2]);
  });
});
