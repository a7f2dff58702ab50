// Refusals to make or find a context item, and their problems. Pure.

import { invalidRequest, notFound, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";

export const contextItemProblems = {
  context_item_not_found: ({ itemId, workspaceId }: { itemId: string; workspaceId: string }) =>
    notFound(`Workspace ${workspaceId} has no context item ${itemId}.`),
  context_item_too_large: ({ bytes, allowed }: { bytes: number; allowed: number }) => ({
    status: 413,
    code: "file_too_large",
    message: `"content" has ${bytes} bytes, a context item at most ${allowed}. Write it to a file of the workspace, which runs read when they need it.`,
    fields: { cap_bytes: allowed },
  }),
  context_full: ({ what, allowed }: { what: "items" | "bytes"; allowed: number }) => ({
    status: 413,
    code: "upload_quota",
    message: `The context items of a workspace are at most ${allowed} ${what} together. Delete one first.`,
  }),
  context_url_invalid: () =>
    invalidRequest(
      '"content" of a context item of the kind "url" must be an address that begins with https:// or http://, without a password.',
    ),
} satisfies ProblemTable;

export type ContextItemRefusal = RefusalOf<typeof contextItemProblems>;
