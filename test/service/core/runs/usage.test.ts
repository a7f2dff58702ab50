import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chargedUsage, modelRoles, sumOf, type Usage } from "../../../../src/service/core/runs/usage.ts";

const role = fc.record({ tokens: fc.nat(1_000), calls: fc.nat(9), microUsd: fc.nat(10_000) });
const usages: fc.Arbitrary<Usage> = fc
  .record({ executor: role, advisor: role, reviewer: role }, { requiredKeys: [] })
  .map((roles) => ({ roles, advisor: null }));

describe("chargedUsage", () => {
  it("sums to what was charged, never below zero, and changes neither tokens nor calls", () => {
    fc.assert(
      fc.property(usages, fc.nat(40_000), (usage, charged) => {
        const after = chargedUsage(usage, charged);
        expect(sumOf(after, "microUsd")).toBe(charged);
        for (const name of modelRoles) expect(after.roles[name]?.microUsd ?? 0).toBeGreaterThanOrEqual(0);
        const costly =
          sumOf(usage, "calls") > 0 && modelRoles.every((name) => usage.roles[name]?.calls !== 0);
        if (costly) expect(sumOf(after, "tokens")).toBe(sumOf(usage, "tokens"));
      }),
    );
  });

  it("has the executor bear the fee", () => {
    const usage: Usage = { roles: { advisor: { tokens: 5, calls: 1, microUsd: 40 } }, advisor: null };
    expect(chargedUsage(usage, 100).roles).toEqual({
      executor: { tokens: 0, calls: 0, microUsd: 60 },
      advisor: { tokens: 5, calls: 1, microUsd: 40 },
    });
  });

  it("takes what exceeds the hold off the executor first", () => {
    const executor = { tokens: 1, calls: 1, microUsd: 30 };
    const advisor = { tokens: 1, calls: 1, microUsd: 50 };
    const charged = chargedUsage({ roles: { executor, advisor }, advisor: null }, 40);
    expect(charged.roles).toEqual({
      executor: { ...executor, microUsd: 0 },
      advisor: { ...advisor, microUsd: 40 },
    });
  });
});
