import { describe, expect, it } from "vitest";
import { defaultRunTokens, RunBudget } from "../../../src/service/executor/run-budget.ts";

const call = { tokens: 100, microUsd: 10, input: 80, cachedInput: 0 };

describe("RunBudget", () => {
  it("takes what is reserved for calls under way as used, until it is counted or released", () => {
    const budget = new RunBudget({ maxTokens: 1_000, maxCostMicroUsd: 500 });
    budget.reserve("executor", { tokens: 600, microUsd: 300 });
    budget.reserve("advisor", { tokens: 100, microUsd: 50 });
    expect(budget.room).toEqual({ tokens: 300, microUsd: 150 });
    budget.count("executor", call);
    budget.release("advisor");
    expect(budget.room).toEqual({ tokens: 900, microUsd: 490 });
  });

  it("gives each child a quarter of what is left, so that many at once cannot pass it", () => {
    const budget = new RunBudget({ maxTokens: 1_000_000, maxCostMicroUsd: 2_000_000 });
    const children = Array.from({ length: 8 }, (_none, at) => `child-${at}`);
    const shares = children.map((child) => budget.grant(child, { isAlone: false }));
    expect(shares[0]).toEqual({ maxTurnTokens: 250_000, maxCostMicroUsd: 500_000 });
    expect(shares[1]).toEqual({ maxTurnTokens: 187_500, maxCostMicroUsd: 375_000 });
    const given = shares.reduce((sum, share) => sum + (share?.maxTurnTokens ?? 0), 0);
    expect(given + budget.room.tokens).toBe(1_000_000);
    expect(budget.room.tokens).toBeGreaterThan(0);
    for (const [at, child] of children.entries())
      budget.settle(child, { countedTokens: shares[at]?.maxTurnTokens ?? 0, costMicroUsd: 1_000 });
    expect(budget.spent).toEqual({ tokens: given, microUsd: 8_000 });
  });

  it("gives a child that works alone all but a quarter of what is left", () => {
    const budget = new RunBudget({ maxTokens: 1_000_000, maxCostMicroUsd: 2_000_000 });
    const child = "child-1";
    expect(budget.grant(child, { isAlone: true })).toEqual({
      maxTurnTokens: 750_000,
      maxCostMicroUsd: 1_500_000,
    });
    expect(budget.room).toEqual({ tokens: 250_000, microUsd: 500_000 });
    budget.settle(child, { countedTokens: 100_000, costMicroUsd: 0 });
    expect(budget.grant("child-2", { isAlone: true })?.maxTurnTokens).toBe(675_000);
  });

  it("counts a child once, also where another worker goes on with the run", () => {
    const limits = { maxTokens: 1_000_000, maxCostMicroUsd: null };
    const first = new RunBudget(limits);
    const used = { countedTokens: 40_000, costMicroUsd: 0 };
    first.grant("child-1", { isAlone: true });
    first.settle("child-1", used);
    first.grant("child-2", { isAlone: true });
    const second = new RunBudget(limits);
    second.resume(first.state);
    expect([second.knows("child-1"), second.knows("child-2")]).toEqual([true, false]);
    second.settle("child-1", used);
    second.reserve("child-2", { tokens: 100_000, microUsd: 0 });
    expect(second.knows("child-2")).toBe(true);
    expect(second.room.tokens).toBe(860_000);
    second.settle("child-2", used);
    expect(second.spent.tokens).toBe(80_000);
  });

  it("gets back what a child did not use, and counts the share of one whose use nobody knows", () => {
    const budget = new RunBudget({ maxTokens: 100_000, maxCostMicroUsd: null });
    const [known, lost] = ["known", "lost"] as const;
    budget.grant(known, { isAlone: false });
    budget.settle(known, { countedTokens: 1_000, costMicroUsd: null });
    expect(budget.room.tokens).toBe(99_000);
    budget.grant(lost, { isAlone: false });
    budget.settle(lost, null);
    expect(budget.room.tokens).toBe(99_000 - 24_750);
    expect(budget.use.costMicroUsd).toBeNull();
  });

  it("grants no child a share that does not suffice for one", () => {
    expect(
      new RunBudget({ maxTokens: 39_000, maxCostMicroUsd: null }).grant("child-1", { isAlone: false }),
    ).toBeNull();
    expect(
      new RunBudget({ maxTokens: 1_000_000, maxCostMicroUsd: 30_000 }).grant("child-1", { isAlone: false }),
    ).toBeNull();
    expect(
      new RunBudget({ maxTokens: 0, maxCostMicroUsd: null }).grant("child-1", { isAlone: false }),
    ).toEqual({
      maxTurnTokens: 0,
      maxCostMicroUsd: null,
    });
  });
});

describe("the tokens of a run that names no number", () => {
  it("are bounded by money where there is an amount, and by turns and time where no price is known", () => {
    const tokens = (maxCostMicroUsd: number | null, isPriced: boolean) =>
      defaultRunTokens({ maxCostMicroUsd, isPriced });
    expect([tokens(null, true), tokens(null, false)]).toEqual([1_000_000, 5_000_000]);
    const budget = new RunBudget({ maxTokens: 0, maxCostMicroUsd: 5_000_000 });
    budget.limitTokens(tokens(5_000_000, true));
    expect([budget.room.tokens, budget.use.maxTokens]).toEqual([Number.POSITIVE_INFINITY, null]);
    expect(budget.grant("a child", { isAlone: true })).toEqual({
      maxTurnTokens: 0,
      maxCostMicroUsd: 3_750_000,
    });
  });
});
