// How long an answer may be, when a run is wrapped up, and what the model is told of what is left: by tables.

import { describe, expect, it } from "vitest";
import {
  type BoundUse,
  isLate,
  mostOfCall,
  planAnswer,
  UsageNotices,
  wrapUpCall,
} from "../../../../../src/service/executor/backends/model/bounds.ts";

/** $1 and $5 for a million tokens; writing to the cache $1.25. */
const prices = { inNanoUsdPerToken: 1_000, cacheWriteNanoUsdPerToken: 1_250, outNanoUsdPerToken: 5_000 };
const none = { tokens: 0, microUsd: 0 };

describe("planAnswer", () => {
  const kept = { tokens: 4_000, microUsd: 12_000 };
  it.each([
    ["all that is asked for", { room: { tokens: 100_000, microUsd: null }, kept }, 16_000, null],
    [
      "what the tokens leave beside the kept",
      { room: { tokens: 12_000, microUsd: null }, kept },
      5_500,
      "max_tokens",
    ],
    [
      "what the dollars leave beside the kept",
      { room: { tokens: 100_000, microUsd: 25_000 }, kept },
      2_100,
      "max_cost",
    ],
    [
      "more where nothing is kept",
      { room: { tokens: 100_000, microUsd: 25_000 }, kept: none },
      4_500,
      "max_cost",
    ],
  ] as const)("gives %s", (_what, left, maxOutputTokens, shortOf) => {
    const planned = planAnswer({ inputTokens: 2_000, maxOutputTokens: 16_000 }, { ...left, prices });
    expect(planned).toEqual({ ok: true, maxOutputTokens, shortOf });
  });

  it.each([
    ["tokens", { room: { tokens: 6_900, microUsd: null }, prices }, "max_tokens"],
    ["dollars", { room: { tokens: 100_000, microUsd: 16_000 }, prices }, "max_cost"],
    ["a price to hold to", { room: { tokens: 100_000, microUsd: 1_000_000 }, prices: null }, "max_cost"],
  ] as const)("refuses without enough %s", (_what, left, bound) => {
    expect(planAnswer({ inputTokens: 2_000, maxOutputTokens: 16_000 }, { ...left, kept })).toEqual({
      ok: false,
      bound,
    });
  });

  it("takes a short answer that is asked for", () => {
    const room = { tokens: 2_100, microUsd: null };
    expect(
      planAnswer({ inputTokens: 2_000, maxOutputTokens: 100 }, { room, kept: none, prices: null }),
    ).toEqual({
      ok: true,
      maxOutputTokens: 100,
      shortOf: null,
    });
  });
});

describe("mostOfCall", () => {
  it("takes input as written to the cache where that costs more", () => {
    const call = { inputTokens: 1_000, maxOutputTokens: 100 };
    expect(mostOfCall(call, prices)).toEqual({ tokens: 1_350, microUsd: 1_750 });
    expect(mostOfCall(call, null)).toEqual({ tokens: 1_100, microUsd: 0 });
  });
});

describe("wrapUpCall", () => {
  it("is what cannot be trimmed, the end of the conversation and a short answer", () => {
    expect(wrapUpCall({ fixedTokens: 3_000, conversationTokens: 150_000, maxOutputTokens: 16_000 })).toEqual({
      inputTokens: 11_000,
      maxOutputTokens: 2_000,
    });
    expect(wrapUpCall({ fixedTokens: 100, conversationTokens: 50, maxOutputTokens: 500 })).toEqual({
      inputTokens: 150,
      maxOutputTokens: 500,
    });
  });
});

describe("isLate", () => {
  it.each([
    [3_600_000, 120_001, false],
    [3_600_000, 120_000, true],
    [60_000, 15_001, false],
    [60_000, 15_000, true],
    [60_000, -1, true],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, false],
  ])("of %s ms with %s ms left: %s", (limitMs, leftMs, expected) => {
    expect(isLate({ limitMs, leftMs })).toBe(expected);
  });
});

describe("UsageNotices", () => {
  const use = (used: number, changes: Partial<BoundUse> = {}): BoundUse => ({
    turns: { used, limit: 200 },
    tokens: { used: 0, limit: 1_000_000 },
    cost: null,
    ...changes,
  });

  it("tells at a half, three quarters and nine tenths, each once", () => {
    const notices = new UsageNotices();
    const told = [10, 99, 100, 101, 149, 160, 181, 199].map((used) => notices.next(use(used)));
    expect(told.map((text) => text !== null)).toEqual([false, false, true, false, false, true, true, false]);
    expect(told[2]).toBe("[Left of this run: 100 of 200 turns, 1000000 of 1000000 tokens.]");
  });

  it("goes by the bound that is nearest, and names dollars where they are bounded", () => {
    const cost = { used: 1_520_000, limit: 2_000_000 };
    const told = new UsageNotices().next(
      use(3, { cost, tokens: { used: 1, limit: Number.POSITIVE_INFINITY } }),
    );
    expect(told).toBe("[Left of this run: 197 of 200 turns, $0.48 of $2.00.]");
  });
});
