import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPage } from "../../../scripts/docs.ts";
import { readConfig } from "../../../src/service/settings/config.ts";
import { decodeRates, readRatesFile } from "../../../src/service/settings/rates-file.ts";
import { ratesDocument } from "../../support/rates-document.ts";
import { runCommand } from "../../support/run/run-command.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-service-rates-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function file(text: string): Promise<string> {
  const path = join(folder, "rates.json");
  await writeFile(path, text);
  return path;
}

function faultsOf(value: unknown): readonly string[] {
  const rates = decodeRates(value);
  return rates.ok ? [] : rates.refusal;
}

const model = (changes: object) => ({
  id: "swift",
  in_nano_usd_per_tok: 0,
  out_nano_usd_per_tok: 0,
  free_tier_eligible: true,
  ...changes,
});

describe("MODEL_PRICE", () => {
  const of = {
    BACKEND: "model",
    MODEL: "acme-1",
    MODEL_BASE_URL: "http://127.0.0.1:1/v1",
    MODEL_PRICE: "2.5 / 0.25 / 15",
  };

  it("is that of the model, beside rates without prices", () => {
    const config = readConfig({}, of);
    expect(config).toMatchObject({
      ok: true,
      value: {
        rates: { modelPrice: { model: "acme-1", input: 2.5, cached: 0.25, output: 15 }, otherModels: "free" },
      },
    });
  });

  it("is refused where it is wrong, and beside a file of prices", () => {
    const problemsOf = (changes: object) => {
      const config = readConfig({}, { ...of, ...changes });
      return config.ok ? [] : config.refusal;
    };
    expect(problemsOf({ MODEL_PRICE: "cheap" })).toEqual([
      expect.stringMatching(/^MODEL_PRICE must be US dollars for a million tokens .*, got "cheap"\.$/),
    ]);
    expect(problemsOf({ RATES_FILE: "/nowhere/rates.json" })).toContain(
      "MODEL_PRICE and RATES_FILE exclude each other: list the price in the file.",
    );
  });
});

describe("a rates file", () => {
  it("stands in the place of the built-in rates wholly", async () => {
    const path = await file(`\uFEFF${JSON.stringify(ratesDocument())}`);
    const config = readConfig({}, { RATES_FILE: path });
    expect(config.ok && config.value.rates).toEqual({
      lowCreditThreshold: 7,
      plans: {
        registered_free: {
          firstCredits: 3,
          maxAgents: 2,
          maxWorkspaces: 2,
          maxConcurrentRuns: 1,
          weight: 1,
          mayUsePaidModels: false,
        },
        subscribed: {
          firstCredits: 50,
          maxAgents: null,
          maxWorkspaces: null,
          maxConcurrentRuns: null,
          weight: 1,
          mayUsePaidModels: true,
        },
      },
      packs: [{ id: "small", usdCents: 500, credits: 600 }],
      subscriptions: [{ id: "monthly", usdCents: 2000, monthlyCredits: 2600 }],
      modelNote: "Prices are per token.",
      otherModels: "refused",
      models: [
        { id: "swift", inNanoUsdPerToken: 150, outNanoUsdPerToken: 600, isFreeTierEligible: true },
        {
          id: "deep",
          inNanoUsdPerToken: 3_000,
          cachedInNanoUsdPerToken: 300,
          outNanoUsdPerToken: 15_000,
          isFreeTierEligible: false,
        },
      ],
      modelTiers: [
        { id: "basic", inNanoUsdPerToken: 150, outNanoUsdPerToken: 600, isFreeTierEligible: true },
        { id: "odd", inNanoUsdPerToken: 7, outNanoUsdPerToken: 1_100, isFreeTierEligible: false },
      ],
      freeMaxModelOutNanoUsdPerToken: 600,
      tools: [
        { tool: "search", mode: "free", credits: 0, freePerMonth: 0, note: "Looks." },
        { tool: "fetch_url", mode: "per_call", credits: 2, freePerMonth: 10, note: "Opens a page." },
      ],
      allowanceReset: "monthly",
      workflow: { execCredits: 1, includedSeconds: 60, longRunCreditsPerMinute: 2, note: "A run." },
    });
  });

  it("is shown whole in the documentation", () => {
    const block =
      /```json\n([\s\S]*?)```/.exec(readPage("docs/self-hosting/rates-and-credits.md"))?.[1] ?? "";
    expect(faultsOf(JSON.parse(block))).toEqual([]);
  });

  it("must be there, and JSON", async () => {
    expect(readRatesFile(join(folder, "none.json"))).toEqual({
      ok: false,
      refusal: ["cannot be read (ENOENT)"],
    });
    expect(readRatesFile(folder)).toEqual({ ok: false, refusal: ["cannot be read (EISDIR)"] });
    expect(readRatesFile(await file("{"))).toEqual({ ok: false, refusal: ["is not JSON"] });
  });

  it.each([
    ["no object", [], ["must be an object"]],
    [
      "an unknown field",
      { ...ratesDocument(), pack: [] },
      [
        'pack is not a known field. Did you mean "packs"? Allowed: "allowance_reset", "free_max_model_out_nano_usd_per_tok", "low_credit_threshold", "model_note", "model_tiers", "models", "packs", "plans", "subscriptions", "tools", "workflow"',
      ],
    ],
    ["a missing list", { ...ratesDocument(), packs: undefined }, ["packs must be a list"]],
    ["no model", ratesDocument({ models: [] }), ["models must name a model"]],
    [
      "a model named twice",
      ratesDocument({ models: [model({}), model({})] }),
      ["models must name each id once"],
    ],
    [
      "fractions, text and negative amounts",
      ratesDocument({
        low_credit_threshold: 0.5,
        models: [model({ id: "", in_nano_usd_per_tok: "1", out_nano_usd_per_tok: -1 })],
      }),
      [
        "low_credit_threshold must be an integer from 0 to 1000000000",
        "models[0].id must not be empty",
        "models[0].in_nano_usd_per_tok must be an integer from 0 to 1000000000",
        "models[0].out_nano_usd_per_tok must be an integer from 0 to 1000000000",
      ],
    ],
    [
      "a plan's limit that is no number",
      { ...ratesDocument(), plans: { ...ratesDocument().plans, subscribed: { max_agents: "any" } } },
      [
        "plans.subscribed.first_credits must be an integer from 0 to 1000000000",
        "plans.subscribed.max_agents must be an integer from 0 to 1000000000, or null for any number",
        "plans.subscribed.max_concurrent_runs must be an integer from 0 to 1000000000, or null for any number",
        "plans.subscribed.may_use_paid_models must be true or false",
      ],
    ],
    [
      "a weight that is no part of a hundred",
      ratesDocument({
        plans: {
          registered_free: { ...ratesDocument().plans.registered_free, weight: 0 },
          subscribed: { ...ratesDocument().plans.subscribed, weight: 101 },
        },
      }),
      [
        "plans.registered_free.weight must be an integer from 1 to 100",
        "plans.subscribed.weight must be an integer from 1 to 100",
      ],
    ],
    [
      "a free tool with a price, and a mode that is none",
      ratesDocument({
        tools: [
          { tool: "search", mode: "free", credits: 1, free_per_month: 0, note: "" },
          { tool: "fetch_url", mode: "flat" as "free", credits: 0, free_per_month: 0, note: "" },
        ],
      }),
      ['tools[0].credits must be 0 where the mode is "free"', "tools[1].mode must be one of free, per_call"],
    ],
    [
      "cached input that is dearer than other input",
      ratesDocument({ models: [model({ in_nano_usd_per_tok: 5, cached_in_nano_usd_per_tok: 6 })] }),
      ["models[0].cached_in_nano_usd_per_tok must be at most in_nano_usd_per_tok (5), got 6"],
    ],
    [
      "a dear model in the free tier",
      ratesDocument({ models: [model({ out_nano_usd_per_tok: 601 })] }),
      [
        "models[0].free_tier_eligible must be false: its output costs 601, the free tier takes 600 at most (free_max_model_out_nano_usd_per_tok)",
      ],
    ],
    [
      "a price for a tool that there is not, which would never be charged",
      ratesDocument({
        tools: [{ tool: "surf", mode: "per_call", credits: 1, free_per_month: 0, note: "" }],
      }),
      [
        'tools[0].tool must be one of read_file, list_files, search, git_log, git_changes, git_diff, git_show, git_blame, read_skill, update_plan, ask_question, view_image, edit_file, write_file, rename_file, delete_file, run_command, fetch_url, delegate, ask_advisor where the mode is "per_call", got "surf"',
      ],
    ],
  ])("is refused with %s, each fault with its place", (_name, value, faults) => {
    expect(faultsOf(value)).toEqual(faults);
  });

  it("that does not list a model of the settings keeps the service from starting, and says which", async () => {
    const path = await file(JSON.stringify(ratesDocument()));
    const settings = {
      RATES_FILE: path,
      BACKEND: "model",
      MODEL: "vast",
      MODEL_BASE_URL: "http://127.0.0.1:9/v1",
      ADVISOR_MODEL: "deep",
      REVIEWER_MODEL: "wise",
    };
    const { code, stdout, stderr } = await runCommand(["serve", "--port", "0"], settings);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.trim().split("\n")).toEqual([
      `MODEL must be one of the models in RATES_FILE "${path}" (swift, deep), got "vast". Add it there with its prices, 0 where it costs nothing.`,
      `REVIEWER_MODEL must be one of the models in RATES_FILE "${path}" (swift, deep), got "wise". Add it there with its prices, 0 where it costs nothing.`,
    ]);
    const listed = { ...settings, MODEL: "swift", REVIEWER_MODEL: "swift" };
    expect(readConfig({}, listed).ok).toBe(true);
  });

  it("is not needed for a model: its tokens are free then, and the rate card lists it", () => {
    const settings = { BACKEND: "model", MODEL: "vast", MODEL_BASE_URL: "http://127.0.0.1:9/v1" };
    const config = readConfig({}, { ...settings, ADVISOR_MODEL: "wise", REVIEWER_MODEL: "vast" });
    if (!config.ok) throw new Error(config.refusal.join("\n"));
    const free = { inNanoUsdPerToken: 0, outNanoUsdPerToken: 0, isFreeTierEligible: true };
    expect(config.value.rates).toMatchObject({
      otherModels: "free",
      models: [
        { id: "vast", ...free },
        { id: "wise", ...free },
      ],
    });
  });

  it("with a fault keeps the service from starting, like any wrong setting", async () => {
    const path = await file(JSON.stringify(ratesDocument({ models: [], low_credit_threshold: -1 })));
    const { code, stdout, stderr } = await runCommand(["serve", "--port", "x"], { RATES_FILE: path });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.trim().split("\n")).toEqual([
      'PORT must be an integer from 0 to 65535, got "x".',
      `RATES_FILE "${path}": low_credit_threshold must be an integer from 0 to 1000000000.`,
      `RATES_FILE "${path}": models must name a model.`,
    ]);
  });
});
