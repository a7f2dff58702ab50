// A workspace and pages of its things as the contract shows them. Pure.

import {
  type AgentWorkspaceView,
  type WorkspaceView,
  workspaceSchema,
} from "../../../contract/workspaces/workspace/workspace.ts";
import type { Page } from "../../core/workspaces/page.ts";
import type { AgentWorkspace } from "../../core/workspaces/read-workspaces.ts";
import type { Workspace } from "../../core/workspaces/workspace.ts";
import { viewOf } from "./view-of.ts";

const shownWorkspace = viewOf<Workspace, "accountId" | "state" | "canonicalCopyId">()(workspaceSchema);

export function toWorkspace(workspace: Workspace): WorkspaceView {
  return shownWorkspace(workspace, { storage_state: workspace.state });
}

export function toAgentWorkspace({ workspace, alsoIn }: AgentWorkspace): AgentWorkspaceView {
  return { ...toWorkspace(workspace), also_in: [...alsoIn] };
}

/** Shows a page's items each by `view`. */
export function toPage<Item, View>(view: (item: Item) => View) {
  return ({ items, nextCursor }: Page<Item>) => ({ items: items.map(view), next_cursor: nextCursor ?? "" });
}
