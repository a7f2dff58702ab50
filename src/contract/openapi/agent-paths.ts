// Agents, in the OpenAPI document. Pure.

import { agentId, answer, apiKey, idempotencyKey, problems, queryParameter, ref } from "./parts.ts";

export const agentPaths = {
  "/v1/agents": {
    post: {
      operationId: "createAgent",
      summary: "Make an agent, or get the one of that name",
      description:
        "`if_exists: return` gives the account's agent of the same name where there is one. An independent agent needs the idempotency key.",
      security: apiKey,
      parameters: [idempotencyKey],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: ref("CreateAgentRequest"),
            example: { name: "reviewer", if_exists: "return" },
          },
        },
      },
      responses: {
        200: answer("The agent that was there.", "CreateAgentResponse"),
        201: answer("The agent that was made.", "CreateAgentResponse"),
        ...problems(400, 401, 403, 413, 415, 422, 429),
      },
    },
    get: {
      operationId: "listAgents",
      summary: "The account's agents, newest first",
      security: apiKey,
      parameters: [
        queryParameter("include_independent", "Independent agents too.", {
          type: "boolean",
          default: false,
        }),
      ],
      responses: { 200: answer("The agents.", "AgentList"), ...problems(400, 401, 403) },
    },
  },
  "/v1/agents/{agentId}": {
    get: {
      operationId: "getAgent",
      summary: "An agent",
      security: apiKey,
      parameters: [agentId],
      responses: { 200: answer("The agent.", "Agent"), ...problems(401, 403, 404) },
    },
    patch: {
      operationId: "updateAgent",
      summary: "Change what an agent's advisor may spend a turn",
      description: "0 stops the advisor, null clears the cap.",
      security: apiKey,
      parameters: [agentId],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: ref("UpdateAgentRequest"),
            example: { advisor_max_spend_micro_usd: 250_000 },
          },
        },
      },
      responses: { 200: answer("The agent.", "Agent"), ...problems(400, 401, 403, 404, 413, 415) },
    },
  },
  "/v1/agents/{agentId}/stop": {
    post: {
      operationId: "stopAgent",
      summary: "Ask every run of an agent to end",
      description: "The agent stays, and takes new work.",
      security: apiKey,
      parameters: [agentId],
      responses: { 202: answer("They were asked.", "Agent"), ...problems(401, 403, 404) },
    },
  },
  "/v1/agents/{agentId}/retire": {
    post: {
      operationId: "retireAgent",
      summary: "Keep new work from an agent, for good",
      description: "What is in flight goes on. Safe to repeat.",
      security: apiKey,
      parameters: [agentId],
      responses: { 200: answer("The agent.", "Agent"), ...problems(401, 403, 404) },
    },
  },
} as const;
