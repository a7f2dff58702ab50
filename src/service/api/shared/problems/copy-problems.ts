// What a caller is told of copies, revisions and operations. Pure.

import type { OperationRefusal } from "../../../core/workspaces/operations/refusals.ts";
import type { CopyRefusal, WorkspaceHeldRefusal } from "../../../core/workspaces/refusals.ts";
import type { PinRefusal } from "../../../core/workspaces/retention/refusals.ts";
import type {
  RevisionInUseRefusal,
  RevisionRefusal,
  RevisionUse,
} from "../../../core/workspaces/revisions/refusals.ts";
import { invalidRequest, isoTime, notFound, type ProblemsOf } from "./public-problem.ts";

const uses: Readonly<Record<RevisionUse, string>> = {
  current: "it is the workspace's current revision. Accept another one first",
  pin: "a retention pin keeps it. Delete the pin first",
  copy: "a copy is based on it. Delete the copy, or save it, first",
  changeset: "an open changeset builds on it. Reject or accept that first",
  site: "the workspace's site shows it. Publish another revision first",
  adoption: "the adoption of an agent's files can be undone by it. Delete it later",
};

export const copyProblems: ProblemsOf<
  CopyRefusal | OperationRefusal | RevisionRefusal | RevisionInUseRefusal | PinRefusal | WorkspaceHeldRefusal
> = {
  copy_not_found: ({ copyId }) => notFound(`The workspace has no copy ${copyId}.`),
  copy_canonical: ({ workspaceId }) =>
    invalidRequest(
      `This is the canonical copy of workspace ${workspaceId}: it is deleted with its workspace, and not by itself.`,
    ),
  revision_in_use: ({ revisionId, use }) => ({
    status: 409,
    code: "revision_in_use",
    message: `Revision ${revisionId} can not be deleted: ${uses[use]}.`,
  }),
  pin_not_found: ({ pinId }) => notFound(`The workspace has no retention pin ${pinId}.`),
  pin_time_passed: ({ until, now }) =>
    invalidRequest(`"until" must not be in the past: it is ${isoTime(until)}, and now is ${isoTime(now)}.`),
  workspace_held: ({ workspaceId, runId }) => ({
    status: 409,
    code: "workspace_held",
    message: `Run ${runId} is at work in workspace ${workspaceId}, or is going to be. Wait until it has ended, or cancel it.`,
    fields: { run_id: runId },
  }),
  operation_not_found: ({ operationId }) => notFound(`The workspace has no operation ${operationId}.`),
  revision_not_found: ({ revisionId }) => notFound(`The workspace has no revision ${revisionId}.`),
};
