// The routes of credits and prices, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../component.ts";
import { accounts, defineRoute, everybody, nounRoutes } from "../route.ts";
import { creditsSchema, modelPricingSchema, toolPricingSchema } from "./money.ts";

export const moneyComponents: Components = {
  Credits: component(creditsSchema, "An account's credits."),
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
