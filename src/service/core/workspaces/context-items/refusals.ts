// Why a context item is not made or found, and what its caller is told. Pure.

import type { ContextKind } from "../../../../contract/workspaces/context-items.ts";
import { invalidRequest, notFound, type ProblemsOf } from "../../ports/problem.ts";

export type ContextItemRefusal =
  | { readonly reason: "context_item_not_found"; readonly itemId: string; readonly workspaceId: string }
  | { readonly reason: "context_item_too_large"; readonly bytes: number; readonly allowed: number }
  | { readonly reason: "context_full"; readonly what: "items" | "bytes"; readonly allowed: number }
  | { readonly reason: "context_url_invalid"; readonly kind: ContextKind };

export const contextItemProblems: ProblemsOf<ContextItemRefusal> = {
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
