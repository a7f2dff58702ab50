// What a caller is told of copies, revisions and operations. Pure.

import type { CopyRefusal } from "../../../core/workspaces/copies/refusals.ts";
import type { OperationRefusal } from "../../../core/workspaces/operations/refusals.ts";
import type { RevisionRefusal } from "../../../core/workspaces/revisions/refusals.ts";
import { invalidRequest, notFound, type ProblemsOf } from "./public-problem.ts";

export const copyProblems: ProblemsOf<CopyRefusal | OperationRefusal | RevisionRefusal> = {
  copy_not_found: ({ copyId }) => notFound(`The workspace has no copy ${copyId}.`),
  copy_canonical: ({ workspaceId }) =>
    invalidRequest(
      `This is the canonical copy of workspace ${workspaceId}: it is deleted with its workspace, and not by itself.`,
    ),
  operation_not_found: ({ operationId }) => notFound(`The workspace has no operation ${operationId}.`),
  revision_not_found: ({ revisionId }) => notFound(`The workspace has no revision ${revisionId}.`),
};
