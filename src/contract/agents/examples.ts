// Examples of agents and workflows. Pure.

import type { Examples } from "../openapi/examples.ts";
import { ACCOUNT_ID, AGENT_ID, RUN_ID, repository, THREAD_ID, WORKFLOW_ID } from "../openapi/story.ts";

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

export const agentExamples = {
  createAgent: {
    schema: "CreateAgentRequest",
    summary: "The agent of that name, made where there is none",
    value: { name: "reviewer", config: { language: "en" }, if_exists: "return" },
  },
  agentFound: {
    schema: "CreateAgentResponse",
    summary: "It was there",
    value: { ...agent, existing: true },
  },
  agentMade: { schema: "CreateAgentResponse", summary: "It was made", value: agent },
  agent: { schema: "Agent", summary: "An agent", value: agent },
  agentList: { schema: "AgentList", summary: "One agent", value: [agent] },
  capAdvisor: {
    schema: "UpdateAgentRequest",
    summary: "A quarter of a dollar a turn",
    value: { advisor_max_spend_micro_usd: 250_000 },
  },
  uncapAdvisor: {
    schema: "UpdateAgentRequest",
    summary: "No cap",
    value: { advisor_max_spend_micro_usd: null },
  },
  agentCapped: {
    schema: "Agent",
    summary: "With the cap",
    value: { ...agent, advisor_max_spend_micro_usd: 250_000 },
  },
  allowJobs: {
    schema: "UpdateAgentRequest",
    summary: "Jobs of one workflow file of the default branch, started by a push or by hand",
    value: {
      ci_policy: {
        events: ["push", "workflow_dispatch"],
        workflows: [".github/workflows/agent.yml@refs/heads/main"],
      },
    },
  },
  allowAllJobs: {
    schema: "UpdateAgentRequest",
    summary: "All jobs of the repository",
    value: { ci_policy: null },
  },
  agentWithPolicy: {
    schema: "Agent",
    summary: "A repository's, with a policy",
    value: {
      ...agent,
      name: repository.name,
      ci_policy: {
        events: ["push", "workflow_dispatch"],
        workflows: [".github/workflows/agent.yml@refs/heads/main"],
      },
    },
  },
  activateWorkflow: { schema: "ActivateWorkflowRequest", summary: "A version", value: { version: 2 } },
  workflow: {
    schema: "Workflow",
    summary: "Version 2 is active",
    value: {
      id: WORKFLOW_ID,
      agent_id: AGENT_ID,
      name: "weekly-report",
      version: 2,
      active_version: 2,
      created_at: "2026-03-02T09:20:00.000Z",
      updated_at: "2026-03-09T08:00:00.000Z",
    },
  },
  executeWorkflow: {
    schema: "ExecuteWorkflowRequest",
    summary: "With an input",
    value: { input: "Week 11, only the pull requests that are open." },
  },
  workflowExecuted: {
    schema: "ExecuteWorkflowResponse",
    summary: "Its run is queued",
    value: { run_id: RUN_ID, session_id: THREAD_ID, version: 2 },
  },
} satisfies Examples;
