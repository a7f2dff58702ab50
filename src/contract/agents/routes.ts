// The routes of agents, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../component.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, owners, query } from "../route.ts";
import {
  agentListSchema,
  agentSchema,
  createAgentRequestSchema,
  createAgentResponseSchema,
  listAgentsQuerySchema,
  updateAgentRequestSchema,
} from "./agent.ts";
import { ciPolicyRequestSchema, ciPolicySchema } from "./ci-policy.ts";

export const agentComponents: Components = {
  Agent: component(agentSchema, "A long-lived worker of an account."),
  AgentList: component(agentListSchema, "Agents, newest first."),
  CreateAgentRequest: component(createAgentRequestSchema, "The agent to make, or to find."),
  CreateAgentResponse: component(createAgentResponseSchema, "The agent that was made or found."),
  UpdateAgentRequest: component(
    updateAgentRequestSchema,
    "What to change. A field that is left out stays as it is.",
  ),
  CiPolicy: component(ciPolicySchema, "Which CI jobs may run an agent. A list that is absent allows all."),
  CiPolicyRequest: component(
    ciPolicyRequestSchema,
    "A policy to set. It needs at least one rule, and no list is empty.",
  ),
};

/** The largest config, however it is spelled. */
const MAX_BODY_BYTES = 512 * 1024;

export const agentRoutes = nounRoutes("agents", "Agents", {
  /** With `if_exists: "return"` an agent of that name is found, and has `existing`. */
  create: defineRoute("POST /v1/agents", {
    callers: accounts,
    role: "admin",
    repeat: "keyed",
    answer: createAgentResponseSchema,
    scopes: ["agents:read", "runs:write"],
    summary: "Make an agent, or get the one of that name",
    description:
      "`if_exists: return` gives the account's agent of the same name where there is one. An independent agent needs the idempotency key.",
    body: jsonBody(createAgentRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The agent that was made.", 200: "The agent that was there." },
  }),
  list: defineRoute("GET /v1/agents", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: agentListSchema,
    scopes: ["agents:read"],
    summary: "List the account's agents, newest first",
    query: query(listAgentsQuerySchema),
    answers: { 200: "The agents." },
  }),
  get: defineRoute("GET /v1/agents/{agentID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: agentSchema,
    scopes: ["agents:read"],
    summary: "Read an agent",
    answers: { 200: "The agent." },
  }),
  update: defineRoute("PATCH /v1/agents/{agentID}", {
    callers: accounts,
    role: "admin",
    repeat: "safe",
    answer: agentSchema,
    scopes: ["agents:read", "runs:write"],
    summary:
      "Change what an agent's advisor may spend a turn, which CI jobs may run it, and what it may reach",
    description:
      "`advisor_max_spend_micro_usd`: 0 stops the advisor, null clears the cap. `ci_policy`: only the owner's key may set it, for a repository's agent. A job may run the agent when each list of the policy has an entry that matches the job's verified token; null allows all jobs of the repository. `*` at the end of a ref's segment matches its rest, `**` as the last segment matches all that follow. Events that outsiders can start stay refused, whatever the list says. `egress`: only the owner's key may set it. It takes effect at the next run, within what the service's operator allows.",
    body: jsonBody(updateAgentRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The agent." },
  }),
  stop: defineRoute("POST /v1/agents/{agentID}/stop", {
    callers: accounts,
    role: "admin",
    repeat: "safe",
    answer: agentSchema,
    scopes: ["runs:write"],
    summary: "Ask every run of an agent to end",
    description: "The agent stays, and takes new work.",
    answers: { 202: "The runs were asked to end." },
  }),
  revokeLinks: defineRoute("DELETE /v1/agents/{agentID}/run-links", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: "nothing",
    summary: "Revoke every link to a run of an agent",
    description:
      "Links that jobs printed open the runs' pages for their readers no more. Only the owner's key may. Jobs that follow print new ones; `ci_policy.share` set to `off` ends that, too. Safe to repeat.",
    answers: { 204: "No earlier link is good." },
  }),
  retire: defineRoute("POST /v1/agents/{agentID}/retire", {
    callers: accounts,
    role: "admin",
    repeat: "safe",
    answer: agentSchema,
    scopes: ["agents:read", "runs:write"],
    summary: "Retire an agent: it takes no new work, for good",
    description:
      "Runs in flight go on. The manager of a workspace is refused: choose another one first. Safe to repeat.",
    answers: { 200: "The agent." },
    refusals: [409],
  }),
  delete: defineRoute("DELETE /v1/agents/{agentID}", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: "nothing",
    summary: "Delete an agent, what it has stored and what it was to do",
    description:
      "Only the owner's key may. Runs in flight end as `cancelled`, cause `agent_deleted`; schedules are cancelled, workflows deactivated. The changes and commits that it keeps for later runs go at once, what its runs have said an hour later; the records of its runs and what it did in workspaces stay. The manager of a workspace is refused: choose another one first. So is an agent whose repository a workspace is adopting. The next job of its repository makes another agent, without an owner. A second request is answered 404.",
    answers: { 204: "It is deleted." },
    refusals: [409],
  }),
});
