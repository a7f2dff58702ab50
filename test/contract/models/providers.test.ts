// The table of model providers and the catalog of their models: that both are looked up again in time, and that the texts
// which are written by hand name every row.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { joinWords } from "../../../src/base/join-words.ts";
import { limitLists, otherMakers, priceLists } from "../../../src/contract/models/catalog.ts";
import {
  exampleModel,
  inputOf,
  likelyProvider,
  modelProviderNames,
  modelProviders,
  PROVIDERS_DATE,
  variableOf,
} from "../../../src/contract/models/providers.ts";
import { listPrices } from "../../../src/service/core/money/list-prices.ts";
import { limitsOfModel } from "../../../src/service/executor/backends/model/wires/model-limits.ts";

const MAX_AGE_DAYS = 60;
const DAY_MS = 24 * 60 * 60 * 1000;

const readPage = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const isListed = <List>(entry: [string, List | null]): entry is [string, List] => entry[1] !== null;

describe("what is known of model providers", () => {
  const prices = Object.entries(priceLists).filter(isListed);
  const limits = Object.entries(limitLists).filter(isListed);

  it.each([
    ["the rows", PROVIDERS_DATE],
    ...prices.map(([name, { lookedUp }]): [string, string] => [`the prices of ${name}`, lookedUp]),
    ...limits.map(([name, { lookedUp }]): [string, string] => [`the limits of ${name}`, lookedUp]),
  ])("%s, looked up on %s, are no older than 60 days", (_, lookedUp) => {
    expect(lookedUp).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const ageDays = (Date.now() - Date.parse(lookedUp)) / DAY_MS;
    expect(ageDays, "The date is in the future.").toBeGreaterThan(-1);
    expect(ageDays, "Compare them with the provider's pages, and change the date.").toBeLessThan(
      MAX_AGE_DAYS,
    );
  });

  it("says in the documentation whose prices these are, and of which day", () => {
    const titles = modelProviderNames
      .filter((name) => priceLists[name] !== null)
      .map((name) => modelProviders[name].title);
    titles.push(...Object.values(otherMakers));
    const [oldest] = prices.map(([, { lookedUp }]) => lookedUp).sort();
    const text = readPage("docs/self-hosting/rates-and-credits.md").replace(/\s+/g, " ");
    expect(text).toContain(`the list prices of ${joinWords(titles)} as they were collected on ${oldest}`);
  });

  it("is in the descriptions of the Action's inputs", () => {
    const text = readPage("action.yml");
    expect(text).toContain(`where model-provider is ${joinWords(modelProviderNames, "or")}.`);
    const quoted = modelProviderNames.map((name) => `"${name}"`);
    expect(text).toContain(`Whose API it is, ${joinWords(quoted, "or")},`);
  });

  it.each(modelProviderNames)("has a row for %s in the page about models", (name) => {
    expect(readPage("docs/self-hosting/models.md")).toContain(`| \`${name}\` | `);
  });

  it("finds the prices and the limits of a model in the lists of all", () => {
    for (const [, { models, page }] of prices) {
      expect(new URL(page).protocol).toBe("https:");
      for (const [name, { dollars, long }] of Object.entries(models)) {
        expect(name).not.toContain(".");
        expect(listPrices(name)?.outNanoUsdPerToken, name).toBe(Math.round(dollars[3] * 1000));
        expect(long?.dollars.every((price, at) => price >= (dollars[at] ?? 0)) ?? true, name).toBe(true);
      }
    }
    for (const [, { models }] of limits)
      for (const [name, [contextTokens, maxOutputTokens]] of Object.entries(models))
        expect(limitsOfModel(name), name).toEqual({
          contextTokens: Math.min(contextTokens, 200_000),
          maxOutputTokens: Math.min(maxOutputTokens, 32_000, contextTokens / 2),
        });
    expect(listPrices(exampleModel.name)).not.toBeNull();
  });
});

describe("a model provider", () => {
  it.each(modelProviderNames)("%s has its API at https, without a slash at its end", (name) => {
    expect(modelProviders[name].apiBaseUrl).toMatch(/^https:\/\/[^/]+\/.*[^/]$/);
  });

  it.each([
    ["claude-sonnet-5", "anthropic"],
    ["gpt-5.5", "openai"],
    ["o4-mini", "openai"],
    ["gemini-3.5-flash", "google"],
    ["qwen/qwen3-coder:free", "openrouter"],
    ["my-claude-5", null],
    ["llama3", null],
  ])("is recognised by the model's name: %s is of %s", (model, provider) => {
    expect(likelyProvider(model)).toBe(provider);
  });

  it("is trusted by settings of the same name in every place", () => {
    const input = inputOf("anthropic", "federation_rule_id");
    expect([input, variableOf(input)]).toEqual([
      "anthropic-federation-rule-id",
      "ANTHROPIC_FEDERATION_RULE_ID",
    ]);
  });
});
