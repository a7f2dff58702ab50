// Credits and rate cards, in the OpenAPI document. Pure.

import { answer, apiKey, headers, ifNoneMatch, kept, pathParameter, unchanged } from "./parts.ts";
import { problems } from "./problem-answers.ts";

export const creditPaths = {
  "/v1/users/{userId}/credits": {
    get: {
      operationId: "getCredits",
      tags: ["Credits and pricing"],
      summary: "An account's credits, its plan and what it can buy",
      description:
        "For the account itself alone. `balance` counts whole credits; what runs hold is taken off.",
      security: apiKey,
      parameters: [
        pathParameter("userId", "The caller's own account id.", { type: "string", format: "uuid" }),
      ],
      responses: {
        200: {
          ...answer("The credits.", "Credits", "credits"),
          headers: headers("X-Request-Id", "Cache-Control"),
        },
        ...problems(401, 403, 429),
      },
    },
  },
  "/v1/pricing/models": {
    get: {
      operationId: "getModelPricing",
      tags: ["Credits and pricing"],
      summary: "What models cost",
      description:
        "Amounts are nano-USD a token; 1 USD is 120 credits. Changes only when the service restarts.",
      security: [],
      parameters: [ifNoneMatch],
      responses: {
        200: kept("The rate card.", "ModelPricing", "modelPricing"),
        304: unchanged,
        ...problems(429),
      },
    },
  },
  "/v1/pricing/tools": {
    get: {
      operationId: "getToolPricing",
      tags: ["Credits and pricing"],
      summary: "What tools and workflows cost",
      security: [],
      parameters: [ifNoneMatch],
      responses: {
        200: kept("The rate card.", "ToolPricing", "toolPricing"),
        304: unchanged,
        ...problems(429),
      },
    },
  },
} as const;
