// Examples of agents. Pure.

import type { ExamplesOf } from "../examples.ts";
import { ACCOUNT_ID, AGENT_ID, repository } from "../story.ts";
import type { agentRoutes } from "./routes.ts";

const agent = {
  id: AGENT_ID,
  user_id: ACCOUNT_ID,
  name: "reviewer",
  backend: "offline",
  model: "standard",
  config: { language: "en" },
  entity_disk_id: AGENT_ID,
  status: "sleeping" as const,
  created_at: "2026-03-02T09:15:00.000Z",
};
const ciPolicy = {
  events: ["push", "workflow_dispatch"],
  workflows: [".github/workflows/agent.yml@refs/heads/main"],
};
const anAgent = { agent: { summary: "An agent", value: agent } };

export const agentExamples: ExamplesOf<typeof agentRoutes> = {
  create: {
    body: {
      createAgent: {
        summary: "The agent of that name, made where there is none",
        value: { name: "reviewer", config: { language: "en" }, if_exists: "return" },
      },
    },
    answers: {
      201: { agentMade: { summary: "It was made", value: agent } },
      200: { agentFound: { summary: "It was there", value: { ...agent, existing: true } } },
    },
  },
  list: { answers: { 200: { agentList: { summary: "One agent", value: [agent] } } } },
  get: { answers: { 200: anAgent } },
  update: {
    body: {
      capAdvisor: {
        summary: "A quarter of a dollar a turn",
        value: { advisor_max_spend_micro_usd: 250_000 },
      },
      uncapAdvisor: { summary: "No cap", value: { advisor_max_spend_micro_usd: null } },
      allowJobs: {
        summary: "Jobs of one workflow file of the default branch, started by a push or by hand",
        value: { ci_policy: ciPolicy },
      },
      allowRegistries: {
        summary: "Its runs may reach package registries and one host",
        value: { egress: ["registries", "docs.example.com"] },
      },
      allowAllJobs: { summary: "All jobs of the repository", value: { ci_policy: null } },
    },
    answers: {
      200: {
        agentCapped: { summary: "With the cap", value: { ...agent, advisor_max_spend_micro_usd: 250_000 } },
        agentWithPolicy: {
          summary: "A repository's, with a policy",
          value: { ...agent, name: repository.name, ci_policy: ciPolicy },
        },
        agentWithNetwork: {
          summary: "With what it may reach",
          value: { ...agent, egress: ["registries", "docs.example.com"] },
        },
      },
    },
  },
  stop: { answers: { 202: anAgent } },
  revokeLinks: {},
  retire: {
    answers: {
      200: {
        agentRetired: { summary: "Retired", value: { ...agent, retired_at: "2026-03-09T11:00:00.000Z" } },
      },
    },
  },
  delete: {},
};
