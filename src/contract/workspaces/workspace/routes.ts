// The routes of workspaces, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../../component.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, optionalJsonBody, owners, query } from "../../route.ts";
import {
  agentCostSchema,
  agentWorkspaceSchema,
  costsQuerySchema,
  costsSchema,
  createWorkspaceRequestSchema,
  erasureSchema,
  listWorkspacesQuerySchema,
  updateWorkspaceRequestSchema,
  workspaceListSchema,
  workspaceSchema,
} from "./workspace.ts";

export const workspaceComponents: Components = {
  Workspace: component(workspaceSchema, "One body of files on which several agents and people work."),
  WorkspaceList: component(workspaceListSchema, "A page of workspaces, newest first."),
  CreateWorkspaceRequest: component(createWorkspaceRequestSchema, "The workspace to make."),
  AgentWorkspace: component(agentWorkspaceSchema, "The workspace of an agent."),
  UpdateWorkspaceRequest: component(updateWorkspaceRequestSchema, "What to change of a workspace."),
  Costs: component(costsSchema, "What runs cost."),
  AgentCost: component(agentCostSchema, "What the runs of one agent cost."),
  WorkspaceErasure: component(erasureSchema, "The receipt of a workspace's deletion."),
};

const MAX_BODY_BYTES = 128 * 1024;

export const workspaceRoutes = nounRoutes("workspaces", "Workspaces", {
  list: defineRoute("GET /v1/workspaces", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: workspaceListSchema,
    summary: "List the account's workspaces, newest first",
    scopes: ["workspaces:read"],
    query: query(listWorkspacesQuerySchema),
    answers: { 200: "A page of workspaces." },
  }),
  create: defineRoute("POST /v1/workspaces", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: workspaceSchema,
    summary: "Make a workspace",
    description:
      "It has no files, and starts no run. The idempotency key is required. `default_manager_agent_id` names the agent that manages it; without it an independent agent is made for that, which belongs to the workspace: it is outside of the plan's cap of agents, and ends with the workspace; null is refused with `invalid_workspace_manager`. An account with as many workspaces as its plan allows is answered 429, `workspace_cap_reached`.",
    scopes: ["workspaces:write"],
    body: optionalJsonBody(createWorkspaceRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The workspace. The same one when the request is repeated." },
    // Of the manager that it names.
    refusals: [404, 409],
  }),
  get: defineRoute("GET /v1/workspaces/{workspaceID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: workspaceSchema,
    summary: "Read a workspace",
    scopes: ["workspaces:read"],
    answers: { 200: "The workspace." },
  }),
  getByAgent: defineRoute("GET /v1/workspaces/by-agent/{agentID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: agentWorkspaceSchema,
    summary: "Find the workspace of an agent",
    description:
      "The oldest that it manages; where it manages none, the oldest that it is a member of. `also_in` names the others.",
    scopes: ["workspaces:read"],
    answers: { 200: "The workspace." },
  }),
  update: defineRoute("PATCH /v1/workspaces/{workspaceID}", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: workspaceSchema,
    summary: "Rename a workspace, or change its manager or its metadata",
    description:
      "What is left out stays. The manager before stays a member. Null as the manager is refused with `invalid_workspace_manager`.",
    scopes: ["workspaces:write"],
    body: jsonBody(updateWorkspaceRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The workspace." },
    refusals: [409],
  }),
  delete: defineRoute("DELETE /v1/workspaces/{workspaceID}", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: erasureSchema,
    summary: "Delete a workspace, with all that it is made of",
    description:
      "Only the owner may, and not while a run works in it. The receipt proves no deletion: read its operation, which outlives the workspace by 30 days.",
    answers: { 202: { description: "The receipt.", headers: ["Location"] } },
    refusals: [409],
  }),
  costs: defineRoute("GET /v1/workspaces/{workspaceID}/costs", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: costsSchema,
    summary: "Sum what the runs of a workspace cost",
    description:
      "With what they delegated. A run counts by when it was submitted, with what it has cost when it ended.",
    scopes: ["workspaces:read"],
    query: query(costsQuerySchema),
    answers: { 200: "The sums." },
  }),
});
