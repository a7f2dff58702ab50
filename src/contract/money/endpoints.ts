// Where the routes of credits and rate cards are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, everybody } from "../route.ts";

export const creditEndpoints = {
  get: {
    method: "GET",
    path: "/v1/users/{userID}/credits",
    callers: accounts,
    repeat: "safe",
    answer: async () => (await import("./money.ts")).creditsSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

export const pricingEndpoints = {
  models: {
    method: "GET",
    path: "/v1/pricing/models",
    callers: everybody,
    repeat: "safe",
    answer: async () => (await import("./money.ts")).modelPricingSchema,
  },
  tools: {
    method: "GET",
    path: "/v1/pricing/tools",
    callers: everybody,
    repeat: "safe",
    answer: async () => (await import("./money.ts")).toolPricingSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
