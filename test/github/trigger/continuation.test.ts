import { describe, expect, it } from "vitest";
import { readContinuation } from "../../../src/github/trigger/continuation.ts";
import { continuationPrompt } from "../../../src/github/trigger/trigger-prompt.ts";

const NONE = { maxCostMicroUsd: null, maxTurnTokens: null };

describe("what continues a run", () => {
  it.each([
    ["", { ...NONE, text: "" }],
    ["with the tests", { ...NONE, text: "with the tests" }],
    ["max-cost 5", { ...NONE, maxCostMicroUsd: 5_000_000, text: "" }],
    ["max-cost: $2.50\n\nand be quick", { ...NONE, maxCostMicroUsd: 2_500_000, text: "and be quick" }],
    ["max-turn-tokens 200000 max-cost 5", { maxCostMicroUsd: 5_000_000, maxTurnTokens: 200_000, text: "" }],
    ["but max-cost 5 is enough", { ...NONE, text: "but max-cost 5 is enough" }],
  ])("is read from %j", (request, value) => {
    expect(readContinuation(request)).toEqual({ ok: true, value });
  });

  it.each([
    ["max-cost", '"max-cost" must be US dollars from 0.01 to 10000, such as 2.50, got nothing.'],
    ["max-cost lots", '"max-cost" must be US dollars from 0.01 to 10000, such as 2.50, got "lots".'],
    ["max-cost 0", '"max-cost" must be US dollars from 0.01 to 10000, such as 2.50, got "0".'],
    ["max-cost 5 max-turn-tokens 1e6", '"max-turn-tokens" must be an integer from 1 to 5000000, got "1e6".'],
  ])("is refused where a limit is none: %j", (request, refusal) => {
    expect(readContinuation(request)).toEqual({ ok: false, refusal });
  });

  it.each([
    ["", "Go on."],
    ["max-cost 5", "Go on."],
    ["max-cost 5 but leave the tests", "Go on: but leave the tests"],
    ["<!-- hidden --> the new one", "Go on: the new one"],
  ])("tells the agent what is said beside the limits: %j", (request, prompt) => {
    expect(continuationPrompt({ verb: "continue", request, preamble: "" })).toBe(prompt);
  });
});
