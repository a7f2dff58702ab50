// Credits and rate cards, in the OpenAPI document. Pure.

import { answer, apiKey, ifNoneMatch, kept, pathParameter, problems, unchanged } from "./parts.ts";

export const creditPaths = {
  "/v1/users/{userId}/credits": {
    get: {
      operationId: "getCredits",
      summary: "An account's credits, its plan and what it can buy",
      description:
        "For the account itself alone. `balance` counts whole credits; what runs hold is taken off.",
      security: apiKey,
      parameters: [
        pathParameter("userId", "The caller's own account id.", { type: "string", format: "uuid" }),
      ],
      responses: { 200: answer("The credits.", "Credits"), ...problems(401, 403) },
    },
  },
  "/v1/pricing/models": {
    get: {
      operationId: "getModelPricing",
      summary: "What models cost",
      description:
        "Amounts are nano-USD a token; 1 USD is 120 credits. Changes only when the service restarts.",
      security: [],
      parameters: [ifNoneMatch],
      responses: { 200: kept("The rate card.", "ModelPricing"), 304: unchanged },
    },
  },
  "/v1/pricing/tools": {
    get: {
      operationId: "getToolPricing",
      summary: "What tools and workflows cost",
      security: [],
      parameters: [ifNoneMatch],
      responses: { 200: kept("The rate card.", "ToolPricing"), 304: unchanged },
    },
  },
} as const;
