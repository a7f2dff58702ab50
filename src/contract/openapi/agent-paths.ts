// Agents, in the OpenAPI document. Pure.

import { agentId, answer, apiKey, idempotencyKey, json, queryParameter } from "./parts.ts";
import { problems } from "./problem-answers.ts";

export const agentPaths = {
  "/v1/agents": {
    post: {
      operationId: "createAgent",
      tags: ["Agents"],
      summary: "Make an agent, or get the one of that name",
      description:
        "`if_exists: return` gives the account's agent of the same name where there is one. An independent agent needs the idempotency key.",
      security: apiKey,
      parameters: [idempotencyKey],
      requestBody: {
        required: true,
        ...json("CreateAgentRequest", "createAgent"),
      },
      responses: {
        200: answer("The agent that was there.", "CreateAgentResponse", "agentFound"),
        201: answer("The agent that was made.", "CreateAgentResponse", "agentMade"),
        ...problems(400, 401, 403, 413, 415, 422, 429),
      },
    },
    get: {
      operationId: "listAgents",
      tags: ["Agents"],
      summary: "The account's agents, newest first",
      security: apiKey,
      parameters: [
        queryParameter("include_independent", "Independent agents too.", {
          type: "boolean",
          default: false,
        }),
      ],
      responses: { 200: answer("The agents.", "AgentList", "agentList"), ...problems(400, 401, 403, 429) },
    },
  },
  "/v1/agents/{agentId}": {
    get: {
      operationId: "getAgent",
      tags: ["Agents"],
      summary: "An agent",
      security: apiKey,
      parameters: [agentId],
      responses: { 200: answer("The agent.", "Agent", "agent"), ...problems(401, 403, 404, 429) },
    },
    patch: {
      operationId: "updateAgent",
      tags: ["Agents"],
      summary: "Change what an agent's advisor may spend a turn, and which CI jobs may run it",
      description:
        "`advisor_max_spend_micro_usd`: 0 stops the advisor, null clears the cap. `ci_policy`: the owner's key alone may set it, for a repository's agent. A job keeps it when each list that is there has an entry for what the job's verified token says; null allows all jobs of the repository. `*` at the end of a ref's segment stands for its rest, `**` as the last segment for all that follow. Events that outsiders can steer stay refused, whatever the list says.",
      security: apiKey,
      parameters: [agentId],
      requestBody: {
        required: true,
        ...json("UpdateAgentRequest", "capAdvisor", "uncapAdvisor", "allowJobs", "allowAllJobs"),
      },
      responses: {
        200: answer("The agent.", "Agent", "agentCapped", "agentWithPolicy"),
        ...problems(400, 401, 403, 404, 413, 415, 429),
      },
    },
  },
  "/v1/agents/{agentId}/stop": {
    post: {
      operationId: "stopAgent",
      tags: ["Agents"],
      summary: "Ask every run of an agent to end",
      description: "The agent stays, and takes new work.",
      security: apiKey,
      parameters: [agentId],
      responses: { 202: answer("They were asked.", "Agent", "agent"), ...problems(401, 403, 404, 429) },
    },
  },
  "/v1/agents/{agentId}/retire": {
    post: {
      operationId: "retireAgent",
      tags: ["Agents"],
      summary: "Keep new work from an agent, for good",
      description: "What is in flight goes on. Safe to repeat.",
      security: apiKey,
      parameters: [agentId],
      responses: { 200: answer("The agent.", "Agent", "agent"), ...problems(401, 403, 404, 429) },
    },
  },
} as const;
