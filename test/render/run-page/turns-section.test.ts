import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TurnUsage, turnRoles } from "../../../src/contract/runs/turn-usage.ts";
import { toHtml } from "../../../src/render/html/element.ts";
import { turnsSection } from "../../../src/render/run-page/turns-section.ts";

const turn = (number: number, changes: Partial<TurnUsage> = {}): TurnUsage => ({
  turn: number,
  role: "executor",
  model: "small",
  requests: 1,
  uncached_input_tokens: 1_000 * number,
  cached_input_tokens: 500 * number,
  output_tokens: 20,
  context_tokens: 1_500 * number + 20,
  context_window: 200_000,
  ...changes,
});

const shown = (told: readonly TurnUsage[]) => toHtml(turnsSection(told));
const barsIn = (html: string) => [...html.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title);

describe("the tokens of a run by turn", () => {
  it("are nothing where no turn is told of", () => {
    expect(turnsSection([])).toEqual([]);
  });

  it("are a picture, with the context window, and its table", () => {
    const others = [turn(2, { role: "advisor", model: "<b>large</b>" }), turn(3, { requests: 2 })];
    const html = shown([turn(1), turn(2, { uncached_input_tokens: 60_000 }), ...others]);
    expect(html).toMatchSnapshot();
    expect(html).not.toContain("style=");
    expect(html).not.toContain("<b>");
  });

  it("say the window in words where the bars are low beside it", () => {
    const html = shown([turn(1), turn(2)]);
    expect(html).not.toContain("limit");
    expect(html).toContain("Context window: 200,000 tokens. The largest request took 2 % of it");
  });

  it("are those of a coding agent that reports no more than sums", () => {
    const told: TurnUsage = {
      turn: 1,
      role: "executor",
      uncached_input_tokens: 10,
      cached_input_tokens: 0,
      output_tokens: 2,
    };
    const html = shown([told]);
    expect(barsIn(html)).toEqual(["Turn 1: 10 new input, 0 from a cache, 2 output"]);
    expect(html).not.toContain("Context window");
    expect(shown([turn(1, { role: "advisor" })])).not.toContain("<svg");
  });

  it("are at most sixty bars, of which none hides the largest turn", () => {
    const told = Array.from({ length: 200 }, (_, at) => turn(at + 1, { uncached_input_tokens: 10 }));
    const large = told.with(101, turn(102, { uncached_input_tokens: 90_000, cached_input_tokens: 0 }));
    const bars = barsIn(shown(large));
    expect(bars).toHaveLength(50);
    expect(bars[25]).toBe("Turns 101 to 104, most in turn 102: 90,000 new input, 0 from a cache, 20 output");
    expect(shown(Array.from({ length: 500 }, (_, at) => turn(at + 1)))).toContain(
      "100 more lines are in the events.",
    );
  });

  it("draw whatever is told within bounds", () => {
    const tokens = fc.nat(1_000_000_000);
    const one = fc.record(
      {
        turn: fc.integer({ min: 1, max: 1_000 }),
        role: fc.constantFrom(...turnRoles),
        model: fc.string(),
        requests: fc.integer({ min: 1 }),
        uncached_input_tokens: tokens,
        cached_input_tokens: tokens,
        output_tokens: tokens,
        context_tokens: tokens,
        context_window: fc.integer({ min: 1 }),
      },
      { requiredKeys: ["turn", "role", "uncached_input_tokens", "cached_input_tokens", "output_tokens"] },
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 300 }), (told) => {
        const html = shown(told);
        expect(barsIn(html).length).toBeLessThanOrEqual(60);
        expect(html).not.toMatch(/NaN|Infinity|undefined/);
      }),
      { numRuns: 50 },
    );
  });
});
