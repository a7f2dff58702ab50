// What the fields of workspaces mean. Pure.

import { type Components, component } from "../../component.ts";
import { createWorkspaceRequestSchema, workspaceListSchema, workspaceSchema } from "./workspace.ts";

export const workspaceComponents: Components = {
  Workspace: component(workspaceSchema, "One body of files on which several agents and people work.", {
    id: "The workspace's id.",
    name: "What its owner calls it.",
    manager_agent_id: "The agent that coordinates the work in it.",
    current_revision_id: "The accepted revision: the base of the canonical copy.",
    storage_state:
      "`adopting` while it is filled with the files of an agent's repository, `erasing` while it is deleted.",
    metadata: "Set by the owner. The service does not read it.",
    created_at: "When it was made.",
  }),
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
};
