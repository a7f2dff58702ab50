// Workspaces, their copies and revisions as the tools answer with them. Pure.

import type * as z from "zod/mini";
import { singleLine } from "../../../base/untrusted-text.ts";
import type {
  toolCopySchema,
  toolRevisionSchema,
  toolWorkspaceSchema,
} from "../../../contract/mcp/workspace-tools.ts";
import type { Actor } from "../../core/workspaces/actor.ts";
import type { CountedCopy } from "../../core/workspaces/copies/read-copies.ts";
import type { Revision } from "../../core/workspaces/revisions/revision.ts";
import type { Workspace } from "../../core/workspaces/workspace.ts";
import { toCopy } from "../shared/copy-view.ts";

export type ToolWorkspace = z.infer<typeof toolWorkspaceSchema>;
export type ToolCopy = z.infer<typeof toolCopySchema>;
export type ToolRevision = z.infer<typeof toolRevisionSchema>;

const MAX_NAME_CHARS = 255;
const MAX_MESSAGE_CHARS = 300;

export function toToolWorkspace(workspace: Workspace): ToolWorkspace {
  return {
    id: workspace.id,
    name: workspace.name,
    manager_agent_id: workspace.managerAgentId,
    current_revision_id: workspace.currentRevisionId,
    storage_state: workspace.state,
    created_at: new Date(workspace.createdAt).toISOString(),
  };
}

export function workspaceLine({ id, name, current_revision_id, storage_state }: ToolWorkspace): string {
  const state = storage_state === "ready" ? "" : `, ${storage_state}`;
  return `${singleLine(name, MAX_NAME_CHARS)} (${id}): accepted revision ${current_revision_id}${state}`;
}

export function toToolCopy(counted: CountedCopy): ToolCopy {
  const { id, state, base_revision_id, saved_revision_id, changed_files, held_by_run_id, created_at } =
    toCopy(counted);
  return { id, state, base_revision_id, saved_revision_id, changed_files, held_by_run_id, created_at };
}

export function copyLine({ id, state, changed_files, saved_revision_id }: ToolCopy): string {
  const saved = saved_revision_id === null ? "" : `, saved as ${saved_revision_id}`;
  return `Copy ${id}: ${state}, ${changed_files} files not saved${saved}`;
}

export function toToolRevision(revision: Revision): ToolRevision {
  const { id, parentIds, message, author, files, bytes, createdAt, acceptedAt } = revision;
  return {
    ...{ id, parent_ids: [...parentIds], message: singleLine(message, MAX_MESSAGE_CHARS) },
    ...{ author: actorText(author), files, bytes, created_at: new Date(createdAt).toISOString() },
    accepted_at: acceptedAt === null ? null : new Date(acceptedAt).toISOString(),
  };
}

export function revisionLine({ id, message, author, files, accepted_at }: ToolRevision): string {
  return `${id}, ${accepted_at === null ? "saved" : "accepted"} by ${author}: ${files} files. ${message}`;
}

export function actorText(actor: Actor): string {
  return actor.type === "run" ? `run ${actor.run_id}` : actor.type;
}

/** As a list's `next_cursor`: absent at the end. */
export function nextOf(nextCursor: string | null): { readonly next_cursor?: string } {
  return nextCursor === null ? {} : { next_cursor: nextCursor };
}
