// Why a site is not shown, and a workflow not written. Pure.

export type SiteRefusal =
  | { readonly reason: "site_not_found"; readonly workspaceId: string }
  /** Nobody has signed in to the account: it is known by keys alone. */
  | { readonly reason: "site_unclaimed"; readonly url: string }
  | { readonly reason: "site_revision_not_accepted"; readonly revisionId: string }
  | { readonly reason: "site_folder_not_found"; readonly folder: string; readonly revisionId: string };

export type WorkflowIdRefusal = { readonly reason: "workflow_id_malformed"; readonly workflowId: string };

export type InboundEmailRefusal = { readonly reason: "inbound_email_off" };
