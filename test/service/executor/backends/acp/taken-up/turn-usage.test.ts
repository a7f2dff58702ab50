import { describe, expect, it } from "vitest";
import { sumOf } from "../../../../../../src/service/core/runs/usage.ts";
import { TurnUsage } from "../../../../../../src/service/executor/backends/acp/turn-usage.ts";
import { UsageMeter } from "../../../../../../src/service/executor/usage-meter.ts";

const reported = { tokens: 1_000, microUsd: 500_000 };

async function countedAfter(reports: readonly { used: number; dollars: number }[]) {
  const meter = new UsageMeter({ holdMicroUsd: 10_000_000, raiseHold: async () => false });
  const usage = new TurnUsage({ meter, maxTokens: 0, reported });
  for (const { used, dollars: amount } of reports)
    await usage.add({ sessionUpdate: "usage_update", used, cost: { amount, currency: "USD" } });
  return { tokens: sumOf(meter.usage, "tokens"), microUsd: sumOf(meter.usage, "microUsd") };
}

/** What is told of the turns that end with these answers, two numbers each: input and output of the session. */
function toldAfter(totals: readonly (readonly [number, number])[], hasEndedPrompt: boolean) {
  const meter = new UsageMeter({ holdMicroUsd: 10_000_000, raiseHold: async () => false });
  const usage = new TurnUsage({ meter, maxTokens: 0, hasEndedPrompt });
  return totals.flatMap(([inputTokens, outputTokens], at) => {
    usage.end({ stopReason: "end_turn", usage: { inputTokens, outputTokens, cachedReadTokens: 5 } });
    return meter.turn.begin(at + 2);
  });
}

const toldOf = (turn: number, input: number, output: number, cached: number) => ({
  turn,
  role: "executor",
  uncached_input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
});

describe("the usage of a prompt", () => {
  it("is what the totals of its session have grown by", () => {
    expect(
      toldAfter(
        [
          [100, 10],
          [300, 30],
        ],
        false,
      ),
    ).toEqual([toldOf(1, 100, 10, 5), toldOf(2, 200, 20, 0)]);
  });

  it("is what an agent reports that counts each prompt by itself", () => {
    expect(
      toldAfter(
        [
          [100, 10],
          [30, 3],
        ],
        false,
      ),
    ).toEqual([toldOf(1, 100, 10, 5), toldOf(2, 30, 3, 5)]);
  });

  it("is not told where an earlier worker has had a part of the totals, or no kinds are reported", () => {
    expect(toldAfter([[100, 10]], true)).toEqual([]);
    const meter = new UsageMeter({ holdMicroUsd: 10_000_000, raiseHold: async () => false });
    const usage = new TurnUsage({ meter, maxTokens: 0 });
    usage.end({ stopReason: "end_turn", usage: { totalTokens: 100 } });
    usage.end({ stopReason: "end_turn", usage: { inputTokens: -1, outputTokens: 2.5 } });
    usage.end({ stopReason: "end_turn", usage: { inputTokens: 1e300, outputTokens: 2 } });
    expect(meter.turn.end()).toEqual([]);
  });

  it("is what Gemini CLI reports beside the protocol", () => {
    const meter = new UsageMeter({ holdMicroUsd: 10_000_000, raiseHold: async () => false });
    const usage = new TurnUsage({ meter, maxTokens: 0 });
    const quota = { token_count: { input_tokens: 7, output_tokens: 2 } };
    usage.end({ stopReason: "end_turn", _meta: { quota } });
    expect(meter.turn.end()).toEqual([toldOf(1, 7, 2, 0)]);
  });
});

describe("the usage of a session that goes on", () => {
  it("is what its agent reports beyond what was counted before", async () => {
    expect(await countedAfter([{ used: 1_200, dollars: 0.7 }])).toEqual({ tokens: 200, microUsd: 200_000 });
  });

  it("is all of it where the agent counts afresh", async () => {
    const reports = [
      { used: 300, dollars: 0.1 },
      { used: 1_100, dollars: 0.6 },
    ];
    expect(await countedAfter(reports)).toEqual({ tokens: 1_100, microUsd: 600_000 });
  });
});
