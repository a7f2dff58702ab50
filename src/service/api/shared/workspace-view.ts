// A workspace and pages of its things as the contract shows them. Pure.

import type { AgentWorkspaceView, WorkspaceView } from "../../../contract/workspaces/workspace/workspace.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { Page } from "../../core/workspaces/page.ts";
import type { AgentWorkspace } from "../../core/workspaces/read-workspaces.ts";
import type { Workspace } from "../../core/workspaces/workspace.ts";

export function toWorkspace(workspace: Workspace): WorkspaceView {
  return {
    id: workspace.id,
    name: workspace.name,
    manager_agent_id: workspace.managerAgentId,
    current_revision_id: workspace.currentRevisionId,
    storage_state: workspace.state,
    metadata: { ...workspace.metadata },
    created_at: isoTime(workspace.createdAt),
  };
}

export function toAgentWorkspace({ workspace, alsoIn }: AgentWorkspace): AgentWorkspaceView {
  return { ...toWorkspace(workspace), also_in: [...alsoIn] };
}

/** Shows a page's items each by `view`. */
export function toPage<Item, View>(view: (item: Item) => View) {
  return ({ items, nextCursor }: Page<Item>) => ({ items: items.map(view), next_cursor: nextCursor ?? "" });
}
