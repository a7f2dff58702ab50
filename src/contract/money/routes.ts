// The routes of credits and prices, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../component.ts";
import { accounts, defineRoute, everybody, nounRoutes, query } from "../route.ts";
import { creditsSchema, modelPricingSchema, toolPricingSchema } from "./money.ts";
import { ledgerQuerySchema, ledgerSchema, usageQuerySchema, usageSchema } from "./usage.ts";

export const moneyComponents: Components = {
  Credits: component(creditsSchema, "An account's credits."),
  Ledger: component(ledgerSchema, "A page of an account's ledger."),
  Usage: component(usageSchema, "What an account's runs used."),
  ModelPricing: component(modelPricingSchema, "What models cost."),
  ToolPricing: component(toolPricingSchema, "What tools and workflows cost."),
};

const rateCard = { isTagged: true, cacheControl: "public, max-age=300" } as const;

export const creditRoutes = nounRoutes("credits", "Credits and pricing", {
  get: defineRoute("GET /v1/users/{userID}/credits", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: creditsSchema,
    scopes: ["agents:read"],
    summary: "Read an account's credits, its plan and what it can buy",
    description: "Only for the account itself. `balance` counts whole credits, without what runs hold.",
    cacheControl: "private, no-store",
    answers: { 200: "The credits." },
  }),
  /** A page of the ledger. `next` of its answer is `before` of the next one; the changes of all lines sum to the balance. */
  ledger: defineRoute("GET /v1/account/ledger", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: ledgerSchema,
    scopes: ["agents:read"],
    summary: "Read the account's ledger, line by line, newest first",
    description:
      "Each movement of credits, with the balance after it. Lines are never changed and never deleted: the changes of all of them sum to the balance, exactly. A run holds its price when it is submitted and more while it is at work; its end charges what it cost of that and releases the rest.",
    query: query(ledgerQuerySchema),
    cacheControl: "private, no-store",
    answers: { 200: "The page." },
  }),
  /** What runs used, by day or by what they have in common. Days are of UTC, and both `from` and `to` count. */
  usage: defineRoute("GET /v1/account/usage", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: usageSchema,
    scopes: ["agents:read"],
    summary: "Read what the account's runs used, by day, agent, repository, model, person or origin",
    description:
      "The runs that the account's credits have paid for, each on the day (UTC) that it ended: a run that has not ended is in none. A delegated run counts by itself, with its own tokens and charge, on the day that it ended: the charge of a run does not hold those of the runs that it delegated, so that nothing counts twice, and the charges of a day are those of its ledger. A run that asked several models counts with the first one. Runs that free credits of a repository's owner paid for are none of the account's.",
    query: query(usageQuerySchema),
    cacheControl: "private, no-store",
    answers: { 200: "The sums." },
  }),
});

export const pricingRoutes = nounRoutes("pricing", "Credits and pricing", {
  models: defineRoute("GET /v1/pricing/models", {
    callers: everybody,
    repeat: "safe",
    answer: modelPricingSchema,
    ...rateCard,
    summary: "Read what models cost",
    description:
      "Amounts are nano-USD a token; 1 USD is 120 credits. Changes only when the service restarts.",
    answers: { 200: "The rate card." },
  }),
  tools: defineRoute("GET /v1/pricing/tools", {
    callers: everybody,
    repeat: "safe",
    answer: toolPricingSchema,
    ...rateCard,
    summary: "Read what tools and workflows cost",
    answers: { 200: "The rate card." },
  }),
});
