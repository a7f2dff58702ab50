// What a caller is told of the runs of a workspace, and of what they are given. Pure.

import type { ContextItemRefusal } from "../../../core/workspaces/context-items/refusals.ts";
import type { WorkspaceRunRefusal } from "../../../core/workspaces/refusals.ts";
import { invalidRequest, notFound, type ProblemsOf } from "./public-problem.ts";

export const workspaceRunProblems: ProblemsOf<WorkspaceRunRefusal | ContextItemRefusal> = {
  run_in_canonical: ({ copyId }) =>
    invalidRequest(
      `Copy ${copyId} is the canonical one, in which no run works. Make a copy, or leave "working_copy_id" out.`,
    ),
  worker_without_copy: () =>
    invalidRequest('A worker needs a copy: name "working_copy_id" beside "task_group_id".'),
  session_of_no_workspace: ({ sessionId, workspaceId }) =>
    notFound(
      `Workspace ${workspaceId} has no session ${sessionId}. Leave "session_id" out to begin one, or POST /v1/workspaces/${workspaceId}/threads.`,
    ),
  context_item_not_found: ({ itemId, workspaceId }) =>
    notFound(`Workspace ${workspaceId} has no context item ${itemId}.`),
  context_item_too_large: ({ bytes, allowed }) => ({
    status: 413,
    code: "file_too_large",
    message: `"content" has ${bytes} bytes, a context item at most ${allowed}. Write it to a file of the workspace, which runs read when they need it.`,
    fields: { cap_bytes: allowed },
  }),
  context_full: ({ what, allowed }) => ({
    status: 413,
    code: "upload_quota",
    message: `The context items of a workspace are at most ${allowed} ${what} together. Delete one first.`,
  }),
  context_url_invalid: () =>
    invalidRequest(
      '"content" of a context item of the kind "url" must be an address that begins with https:// or http://, without a password.',
    ),
};
