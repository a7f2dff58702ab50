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
