import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { turnRoles, turnUsageEventSchema } from "../../../src/contract/runs/turn-usage.ts";
import { SecretMask } from "../../../src/service/executor/secret-mask.ts";
import { type TurnCall, TurnMeter, turnEvents } from "../../../src/service/executor/turn-meter.ts";

const call: TurnCall = {
  role: "executor",
  model: "small",
  contextWindow: 1_000,
  inputTokens: 100,
  cachedInputTokens: 60,
  outputTokens: 10,
  calls: 1,
};

describe("the meter of a turn", () => {
  it("sums the calls of a turn by role and model, and knows the largest of them", () => {
    const meter = new TurnMeter();
    meter.count(call);
    meter.count({ ...call, inputTokens: 300, cachedInputTokens: 0, outputTokens: 1, contextWindow: 900 });
    meter.count({ ...call, role: "advisor", contextWindow: null });
    expect(meter.begin(1)).toEqual([]);
    const told = meter.begin(2);
    expect(told).toEqual([
      {
        turn: 1,
        role: "executor",
        model: "small",
        requests: 2,
        uncached_input_tokens: 340,
        cached_input_tokens: 60,
        output_tokens: 11,
        context_tokens: 301,
        context_window: 900,
      },
      {
        turn: 1,
        role: "advisor",
        model: "small",
        requests: 1,
        uncached_input_tokens: 40,
        cached_input_tokens: 60,
        output_tokens: 10,
        context_tokens: 110,
      },
    ]);
    expect(meter.end()).toEqual([]);
  });

  it("goes on from what another worker has counted", () => {
    const lost = new TurnMeter();
    lost.begin(3);
    lost.count(call);
    const next = new TurnMeter();
    next.resume(lost.state);
    next.count(call);
    expect(next.begin(3)).toEqual([]);
    expect(next.begin(4)).toMatchObject([{ turn: 3, requests: 2 }]);
  });

  it("tells of any number of models within bounds, with every token, and as its schema has it", () => {
    const calls = fc.array(
      fc.record({
        role: fc.constantFrom(...turnRoles),
        model: fc.option(fc.string({ maxLength: 300 })),
        contextWindow: fc.option(fc.integer({ min: 1, max: 2_000_000 })),
        cachedInputTokens: fc.integer({ min: 0, max: 50 }),
        inputTokens: fc.integer({ min: 50, max: 1_000_000 }),
        outputTokens: fc.nat(100_000),
        calls: fc.constantFrom<1 | null>(1, null),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(calls, (all) => {
        const meter = new TurnMeter();
        for (const one of all) meter.count(one);
        const events = turnEvents(meter.end(), new SecretMask());
        expect(events.length).toBeLessThanOrEqual(20);
        const tokens = events
          .map((event) => turnUsageEventSchema.parse(event).value)
          .map((one) => one.uncached_input_tokens + one.cached_input_tokens + one.output_tokens)
          .reduce((sum, one) => sum + one, 0);
        expect(tokens).toBe(all.reduce((sum, one) => sum + one.inputTokens + one.outputTokens, 0));
      }),
    );
  });

  it("shows no secret that a model is called", () => {
    const secret = "sk-a-very-secret-token";
    const meter = new TurnMeter();
    meter.count({ ...call, model: secret });
    expect(JSON.stringify(turnEvents(meter.end(), new SecretMask([secret])))).not.toContain(secret);
  });
});
