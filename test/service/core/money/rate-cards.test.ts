import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modelPricingSchema, toolPricingSchema } from "../../../../src/contract/money/money.ts";
import {
  creditsPerThousand,
  modelPricing,
  toolPricing,
} from "../../../../src/service/core/money/rate-cards.ts";
import { defaultRates } from "../../../../src/service/settings/default-rates.ts";
import { decodeRates } from "../../../../src/service/settings/rates-file.ts";
import { ratesDocument } from "../../../support/rates-document.ts";

function rates() {
  const decoded = decodeRates(ratesDocument());
  if (!decoded.ok) throw new Error(decoded.refusal.join("\n"));
  return decoded.value;
}

describe("credits for a thousand tokens", () => {
  it.each([
    [0, "0"],
    [1, "0.00012"],
    [7, "0.00084"],
    [150, "0.018"],
    [1_100, "0.132"],
    [3_000, "0.36"],
    [15_000, "1.8"],
    [8_333_333, "999.99996"],
    [1_000_000_000, "120000"],
  ])("at %i nano-USD a token are written %s", (nanoUsd, written) => {
    expect(JSON.stringify(creditsPerThousand(nanoUsd))).toBe(written);
  });

  it("are the exact decimal fraction, whatever the rate", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (nanoUsd) => {
        const hundredThousandths = String(BigInt(nanoUsd) * 12n).padStart(6, "0");
        const exact = `${hundredThousandths.slice(0, -5)}.${hundredThousandths.slice(-5)}`.replace(
          /\.?0+$/,
          "",
        );
        expect(JSON.stringify(creditsPerThousand(nanoUsd))).toBe(exact === "" ? "0" : exact);
      }),
    );
  });
});

describe("the rate cards", () => {
  it("show models and tiers", () => {
    const card = modelPricing(rates());
    expect(modelPricingSchema.parse(card)).toEqual(card);
    expect(card).toEqual({
      credits_per_usd: 120,
      peg_cents: 1,
      note: "Prices are per token.",
      model_tiers: [
        {
          id: "basic",
          in_nano_usd_per_tok: 150,
          out_nano_usd_per_tok: 600,
          credits_per_1k_in: 0.018,
          credits_per_1k_out: 0.072,
          free_tier_eligible: true,
        },
        {
          id: "odd",
          in_nano_usd_per_tok: 7,
          out_nano_usd_per_tok: 1_100,
          credits_per_1k_in: 0.00084,
          credits_per_1k_out: 0.132,
          free_tier_eligible: false,
        },
      ],
      models: [
        { id: "swift", in_nano_usd_per_tok: 150, out_nano_usd_per_tok: 600, free_tier_eligible: true },
        {
          id: "deep",
          in_nano_usd_per_tok: 3_000,
          cached_in_nano_usd_per_tok: 300,
          out_nano_usd_per_tok: 15_000,
          free_tier_eligible: false,
        },
      ],
      free_max_model_out_nano_usd_per_tok: 600,
    });
  });

  it("show tools and workflows", () => {
    const card = toolPricing(rates());
    expect(toolPricingSchema.parse(card)).toEqual(card);
    expect(card).toEqual({
      peg_cents: 1,
      tools: [
        { tool: "search", mode: "free", credits: 0, free_per_month: 0, note: "Looks." },
        { tool: "fetch_url", mode: "per_call", credits: 2, free_per_month: 10, note: "Opens a page." },
      ],
      allowance_reset: "monthly",
      workflow: {
        exec_credits: 1,
        included_seconds: 60,
        long_run_credits_per_minute: 2,
        note: "A run.",
      },
    });
  });

  it("are whole where the operator says nothing", () => {
    expect(modelPricingSchema.parse(modelPricing(defaultRates)).models).toHaveLength(1);
    expect(toolPricingSchema.parse(toolPricing(defaultRates)).tools).not.toHaveLength(0);
  });
});
