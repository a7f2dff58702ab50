// Why a site is not shown, and a workflow not written, and what its caller is told. Pure.

import { invalidRequest, notFound, type ProblemsOf } from "../../ports/problem.ts";

export type SiteRefusal =
  | { readonly reason: "site_not_found"; readonly workspaceId: string }
  /** Nobody has signed in to the account: it is known by keys alone. */
  | { readonly reason: "site_unclaimed"; readonly url: string }
  | { readonly reason: "site_revision_not_accepted"; readonly revisionId: string }
  | { readonly reason: "site_folder_not_found"; readonly folder: string; readonly revisionId: string };

export type WorkflowIdRefusal = { readonly reason: "workflow_id_malformed"; readonly workflowId: string };

export type InboundEmailRefusal = { readonly reason: "inbound_email_off" };

export const consumerProblems: ProblemsOf<SiteRefusal | WorkflowIdRefusal | InboundEmailRefusal> = {
  site_not_found: ({ workspaceId }) =>
    notFound(`Workspace ${workspaceId} has no site. PUT /v1/workspaces/${workspaceId}/site publishes one.`),
  site_unclaimed: ({ url }) => ({
    status: 403,
    code: "site_unclaimed",
    message: `Nobody is signed in to this account, so that nobody answers for what it shows. Sign in at ${url} with a key of the account, and publish then. An account with a passkey or a linked identity needs no sign-in.`,
  }),
  site_revision_not_accepted: ({ revisionId }) =>
    invalidRequest(
      `Revision ${revisionId} is saved and was never accepted. Accept it by a changeset, or name one that was.`,
    ),
  site_folder_not_found: ({ folder, revisionId }) =>
    notFound(`Revision ${revisionId} has no folder ${JSON.stringify(folder)}.`),
  workflow_id_malformed: ({ workflowId }) =>
    invalidRequest(
      `The id of a workflow must be a UUID in lower case, got ${JSON.stringify(workflowId.slice(0, 100))}. Make one of your own for a new workflow.`,
    ),
  inbound_email_off: () => ({
    status: 404,
    code: "inbound_email_off",
    message: "This service receives no e-mail.",
  }),
};
