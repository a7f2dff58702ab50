// What the fields of workspaces mean. Pure.

import { type Components, component } from "../../component.ts";
import {
  agentCostSchema,
  agentWorkspaceSchema,
  costsSchema,
  createWorkspaceRequestSchema,
  erasureSchema,
  updateWorkspaceRequestSchema,
  workspaceListSchema,
  workspaceSchema,
} from "./workspace.ts";

const sums = {
  credits: "Credits charged, after refunds.",
  gross_micro_usd: "What was used before refunds, in micro-USD (1,000,000 = 1 USD).",
  refunded_micro_usd: "What was refunded, in micro-USD.",
  tokens: "Tokens used.",
  runs: "Runs, with those that they delegated.",
} as const;

const roleFields = {
  credits: "Credits before refunds, not rounded.",
  micro_usd: "The same in micro-USD.",
  tokens: "Tokens.",
  calls: "Calls of the model.",
} as const;

const workspaceFields = {
  id: "The workspace's id.",
  name: "What its owner calls it.",
  manager_agent_id: "The agent that coordinates the work in it.",
  current_revision_id: "The accepted revision: the base of the canonical copy.",
  storage_state:
    "`adopting` while it is filled with the files of an agent's repository, `erasing` while it is deleted.",
  metadata: "Set by the owner. The service does not read it.",
  created_at: "When it was made.",
} as const;

export const workspaceComponents: Components = {
  Workspace: component(
    workspaceSchema,
    "One body of files on which several agents and people work.",
    workspaceFields,
  ),
  WorkspaceList: component(workspaceListSchema, "A page of workspaces, newest first.", {
    items: "The workspaces.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  CreateWorkspaceRequest: component(createWorkspaceRequestSchema, "The workspace to make.", {
    name: "What it is called. Left out: `workspace`.",
    metadata: "Any JSON object. The service stores it and does not read it.",
    default_manager_agent_id:
      "One of the account's agents. Left out: an independent agent is made. Null is refused: every workspace has a manager.",
  }),
  AgentWorkspace: component(agentWorkspaceSchema, "The workspace of an agent.", {
    ...workspaceFields,
    also_in: "The other workspaces that the agent is a member of.",
  }),
  UpdateWorkspaceRequest: component(updateWorkspaceRequestSchema, "What to change of a workspace.", {
    name: "What it is called.",
    metadata: "Any JSON object, in the place of the one before.",
    manager_agent_id: "One of the account's agents. It becomes a member where it is none. Null is refused.",
  }),
  Costs: component(costsSchema, "What runs cost.", {
    ...sums,
    by_role: [
      "What each role of the models used.",
      {
        executor: ["The model that does the work.", roleFields],
        advisor: ["The stronger model that it may consult.", roleFields],
        reviewer: ["The model that reviews the work.", roleFields],
      },
    ],
    by_agent: "The same by agent, the most expensive first.",
    since: "From when on the runs were submitted; null: from the first.",
    until: "Before when they were submitted; null: until now.",
  }),
  AgentCost: component(agentCostSchema, "What the runs of one agent cost.", {
    ...sums,
    agent_id: "The agent.",
  }),
  WorkspaceErasure: component(erasureSchema, "The receipt of a workspace's deletion.", {
    operation_id: "The operation that deletes it.",
    status: "Always `erasing`.",
  }),
};
