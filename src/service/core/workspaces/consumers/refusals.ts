// Refusals to show a site and to write a workflow, and their problems. Pure.

import { invalidRequest, notFound, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";

export const consumerProblems = {
  site_not_found: ({ workspaceId }: { workspaceId: string }) =>
    notFound(`Workspace ${workspaceId} has no site. PUT /v1/workspaces/${workspaceId}/site publishes one.`),
  site_unclaimed: ({ url }: { url: string }) => ({
    status: 403,
    code: "site_unclaimed",
    message: `Nobody is signed in to this account, so that nobody answers for what it shows. Sign in at ${url} with a key of the account, and publish then. An account with a passkey or a linked identity needs no sign-in.`,
  }),
  site_revision_not_accepted: ({ revisionId }: { revisionId: string }) =>
    invalidRequest(
      `Revision ${revisionId} is saved and was never accepted. Accept it by a changeset, or name one that was.`,
    ),
  site_folder_not_found: ({ folder, revisionId }: { folder: string; revisionId: string }) =>
    notFound(`Revision ${revisionId} has no folder ${JSON.stringify(folder)}.`),
  workflow_id_malformed: ({ workflowId }: { workflowId: string }) =>
    invalidRequest(
      `The id of a workflow must be a UUID in lower case, got ${JSON.stringify(workflowId.slice(0, 100))}. Make one of your own for a new workflow.`,
    ),
  inbound_email_off: () => ({
    status: 404,
    code: "inbound_email_off",
    message: "This service receives no e-mail.",
  }),
} satisfies ProblemTable;

export type SiteRefusal = RefusalOf<
  typeof consumerProblems,
  "site_not_found" | "site_unclaimed" | "site_revision_not_accepted" | "site_folder_not_found"
>;

export type WorkflowIdRefusal = RefusalOf<typeof consumerProblems, "workflow_id_malformed">;
