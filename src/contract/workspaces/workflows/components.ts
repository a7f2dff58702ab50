// What the fields of a workspace's workflows mean. Pure.

import { type Components, component } from "../../component.ts";
import {
  putWorkspaceWorkflowRequestSchema,
  workspaceWorkflowListSchema,
  workspaceWorkflowSchema,
} from "./workspace-workflow.ts";

export const workspaceWorkflowComponents: Components = {
  WorkspaceWorkflow: component(workspaceWorkflowSchema, "A prompt with versions, in a workspace.", {
    id: "The workflow's id.",
    workspace_id: "The workspace.",
    agent_id: "The agent that runs it: who managed the workspace when it was last written.",
    name: "Its name.",
    version: "The newest version.",
    active_version: "The version that an execution runs; null until the owner activates one.",
    created_at: "When it was made.",
    updated_at: "When it was last changed.",
  }),
  WorkspaceWorkflowList: component(workspaceWorkflowListSchema, "A page of workflows, newest first.", {
    items: "The workflows.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  PutWorkspaceWorkflowRequest: component(putWorkspaceWorkflowRequestSchema, "The workflow to write.", {
    name: "Its name.",
    prompt: "What its run's message begins with.",
  }),
};
