// The routes of credits and rate cards. Pure.

import { defineRoute, nounRoutes } from "../route.ts";
import { creditEndpoints, pricingEndpoints } from "./endpoints.ts";

const rateCard = { isTagged: true, cacheControl: "public, max-age=300" } as const;

export const creditRoutes = nounRoutes("credits", "Credits and pricing", {
  get: defineRoute(creditEndpoints.get, {
    scopes: ["agents:read"],
    summary: "Read an account's credits, its plan and what it can buy",
    description: "Only for the account itself. `balance` counts whole credits, without what runs hold.",
    cacheControl: "private, no-store",
    answers: { 200: "The credits." },
  }),
});

export const pricingRoutes = nounRoutes("pricing", "Credits and pricing", {
  models: defineRoute(pricingEndpoints.models, {
    ...rateCard,
    summary: "Read what models cost",
    description:
      "Amounts are nano-USD a token; 1 USD is 120 credits. Changes only when the service restarts.",
    answers: { 200: "The rate card." },
  }),
  tools: defineRoute(pricingEndpoints.tools, {
    ...rateCard,
    summary: "Read what tools and workflows cost",
    answers: { 200: "The rate card." },
  }),
});
