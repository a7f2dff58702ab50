// The tables, as Kysely sees them. Times are milliseconds, money is micro-USD, both 64-bit integers.

import type { WorkspaceDatabase } from "./workspace-tables.ts";

export type Database = WorkspaceDatabase & {
  workflows: WorkflowsTable;
  workflow_versions: WorkflowVersionsTable;
  approvals: ApprovalsTable;
  write_grants: WriteGrantsTable;
  accounts: AccountsTable;
  credentials: CredentialsTable;
  agents: AgentsTable;
  capabilities: CapabilitiesTable;
  token_uses: TokenUsesTable;
  claim_tickets: ClaimTicketsTable;
  pending_claims: PendingClaimsTable;
  audit_entries: AuditEntriesTable;
  sessions: SessionsTable;
  session_copies: SessionCopiesTable;
  session_keys: SessionKeysTable;
  schedules: SchedulesTable;
  idempotency_keys: IdempotencyKeysTable;
  runs: RunsTable;
  run_inputs: RunInputsTable;
  run_events: RunEventsTable;
  run_secrets: RunSecretsTable;
  cost_reservations: CostReservationsTable;
  ledger_accounts: LedgerAccountsTable;
  ledger_postings: LedgerPostingsTable;
  free_calls: FreeCallsTable;
  blobs: BlobsTable;
  packs: PacksTable;
  default_heads: DefaultHeadsTable;
  repository_accesses: RepositoryAccessesTable;
  sign_in_links: SignInLinksTable;
  sign_in_attempts: SignInAttemptsTable;
  identities: IdentitiesTable;
  passkeys: PasskeysTable;
  web_sessions: WebSessionsTable;
  run_views: RunViewsTable;
  oauth_artifacts: OAuthArtifactsTable;
  oauth_grants: OAuthGrantsTable;
  service_secrets: ServiceSecretsTable;
};

/** The columns from `subscription_id` on are all null for an account that never had a subscription. */
export type AccountsTable = {
  id: string;
  plan: string;
  created_at: number;
  subscription_id: string | null;
  sku: string | null;
  monthly_credits: number | null;
  subscription_status: string | null;
  subscribed_at: number | null;
  period: number | null;
  period_end: number | null;
  /** 0 or 1. */
  cancel_at_period_end: number | null;
  /** When somebody first signed in to it on a page. */
  signed_in_at: number | null;
};

/** The columns from `client_id` on are those of access tokens, which have neither name nor hint. */
export type CredentialsTable = {
  hash: string;
  id: string;
  account_id: string;
  kind: string;
  name: string;
  hint: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
  client_id: string | null;
  /** Separated by spaces. */
  scope: string | null;
  resource: string | null;
  grant_id: string | null;
  expires_at: number | null;
};

/** The columns from `provider` to `visibility` are all null for an agent that was made by name. */
export type AgentsTable = {
  id: string;
  account_id: string | null;
  name: string;
  kind: string | null;
  model: string | null;
  /** JSON. */
  config: string;
  advisor_max_spend_micro_usd: number | null;
  /** A CiPolicy as JSON. */
  ci_policy: string | null;
  /** EgressEntries as JSON. */
  egress: string | null;
  provider: string | null;
  issuer: string | null;
  repository_id: string | null;
  owner_id: string | null;
  repository_name: string | null;
  visibility: string | null;
  /** The workspace that it was made with, and ends with. */
  workspace_id: string | null;
  backend: string;
  created_at: number;
  retired_at: number | null;
  /** Its row stays, for the records of its runs. No read but that of its account finds it. */
  deleted_at: number | null;
  /** When nothing of it was left to delete. */
  erased_at: number | null;
};

export type CapabilitiesTable = {
  hash: string;
  agent_id: string;
  /** A JobIdentity as JSON. */
  job: string;
  issued_at: number;
  expires_at: number;
  revoked_at: number | null;
};

export type TokenUsesTable = { issuer: string; replay_key: string; usable_until: number };

export type ClaimTicketsTable = {
  hash: string;
  agent_id: string;
  created_at: number;
  expires_at: number;
  used_by: string | null;
};

export type PendingClaimsTable = { agent_id: string; account_id: string; expires_at: number };

export type AuditEntriesTable = {
  id: string;
  at: number;
  request_id: string;
  action: string;
  outcome: string;
  issuer: string | null;
  repository_id: string | null;
  repository_name: string | null;
  ci_run_id: string | null;
  account_id: string | null;
  method: string | null;
};

export type SessionsTable = { id: string; agent_id: string; created_at: number; run_count: number };

/** What a session's last run left changed, as a patch. */
export type SessionCopiesTable = { session_id: string; run_id: string; base_sha: string; patch: string };

/** The names that callers gave to sessions. */
export type SessionKeysTable = { agent_id: string; key: string; thread_id: string; created_at: number };

export type SchedulesTable = {
  id: string;
  agent_id: string;
  status: string;
  prompt: string;
  fire_at: number;
  pinned_session_id: string | null;
  thread_id: string | null;
  /** JSON. */
  metadata: string;
  last_error: string | null;
  attempts: number;
  /** Read only while the schedule is pending or firing. */
  due_at: number;
  run_id: string | null;
  created_at: number;
  last_fired_at: number | null;
  confirmed_at: number | null;
};

export type IdempotencyKeysTable = {
  agent_id: string;
  key: string;
  run_id: string;
  thread_id: string;
  request_hash: string;
  expires_at: number;
};

export type RunsTable = {
  id: string;
  agent_id: string;
  thread_id: string;
  status: string;
  origin: string;
  parent_run_id: string | null;
  payer: string;
  hold_micro_usd: number;
  submitted_at: number;
  started_at: number | null;
  heartbeat_at: number | null;
  ended_at: number | null;
  cause: string | null;
  /** 0 or 1: SQLite has no booleans. */
  retryable: number;
  stop_reason: string | null;
  /** A Usage as JSON. */
  usage: string | null;
  gross_micro_usd: number;
  refunded_micro_usd: number;
  refund_reason: string | null;
  refund_withheld_reason: string | null;
  /** A RunPrice as JSON. Null: the fee of a run. */
  price: string | null;
  model_billing: string | null;
  last_seq: number;
  fence: number;
  /** Its place among the runs of its session: 1, 2, 3 … in the order of their commits. */
  thread_seq: number;
  /** Whether its input and events are kept, deleting or deleted: they are deleted in several steps. */
  content: string;
  /** A ShownCommit as JSON; null where a job says the commit, or none is needed. */
  works_on: string | null;
};

/** A run's input as JSON, in a table of its own: polls read runs often and inputs never. */
export type RunInputsTable = { run_id: string; input: string };

export type RunEventsTable = { run_id: string; seq: number; at: number; event: string };

/** What a run may use and nothing may show, sealed. The embedded store has it in memory. */
export type CostReservationsTable = {
  run_id: string;
  agent_id: string;
  day: string;
  micro_usd: number;
  expires_at: number;
};

export type RunSecretsTable = { run_id: string; sealed: string; expires_at: number };

/** The newest commit of a repository's default branch that a job has made known: a JobIdentity as JSON. */
export type DefaultHeadsTable = { agent_id: string; job: string; known_at: number };

/** Of a deploy key both halves are there, the private one sealed. */
export type RepositoryAccessesTable = {
  agent_id: string;
  kind: string;
  public_key: string | null;
  sealed: string | null;
  created_at: number;
};

/** Only billing accounts have a row. The balance is the sum of the account's postings. */
export type LedgerAccountsTable = { id: string; balance_micro_usd: number };

export type LedgerPostingsTable = {
  id: string;
  at: number;
  kind: string;
  from_account: string;
  to_account: string;
  micro_usd: number;
  run_id: string | null;
};

/** Calls of a tool that cost nothing, by billing account and month (UTC). */
export type FreeCallsTable = { billing_account: string; month: string; tool: string; used: number };

/** `state` is unfinished, kept or discarded; `bytes` is known once it is kept. */
export type BlobsTable = {
  key: string;
  bytes: number | null;
  state: string;
  changed_at: number;
  /** When it was found missing or damaged. */
  lost_at: number | null;
};

/** `tip` is null while the pack is being sent: the columns from `shallow` to `objects` and its files are unknown then. */
export type PacksTable = {
  id: string;
  issuer: string;
  repository_id: string;
  tip: string | null;
  /** JSON: commits. */
  shallow: string;
  /** JSON: ids of packs. */
  bases: string;
  objects: number;
  /** Of both files; what was announced while it is being sent. */
  bytes: number;
  pack_key: string;
  pack_bytes: number;
  pack_sha256: string;
  index_key: string;
  index_bytes: number;
  index_sha256: string;
  created_at: number;
  used_at: number;
};

export type RunViewsTable = { hash: string; run_id: string; agent_id: string; created_at: number };

export type WorkflowsTable = {
  id: string;
  agent_id: string;
  name: string;
  version: number;
  active_version: number | null;
  created_at: number;
  updated_at: number;
};

export type WorkflowVersionsTable = { workflow_id: string; version: number; prompt: string };

/** Without an account it opens the first one. */
export type SignInLinksTable = {
  hash: string;
  account_id: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
};

/** `state` is JSON. */
export type SignInAttemptsTable = { hash: string; kind: string; state: string; expires_at: number };

export type IdentitiesTable = {
  id: string;
  account_id: string;
  kind: string;
  issuer: string;
  subject: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
};

export type PasskeysTable = {
  credential_id: string;
  account_id: string;
  name: string;
  public_key: string;
  counter: number;
  /** JSON: names of transports. */
  transports: string;
  /** 0 or 1. */
  is_backed_up: number;
  created_at: number;
  last_used_at: number | null;
};

export type WebSessionsTable = {
  hash: string;
  id: string;
  account_id: string;
  method: string;
  user_agent: string;
  created_at: number;
  seen_at: number;
  authenticated_at: number;
  expires_at: number;
};
/** What the authorization server keeps for a time. */
export type OAuthArtifactsTable = {
  kind: string;
  id_hash: string;
  grant_id: string | null;
  uid: string | null;
  user_code_hash: string | null;
  /** JSON. */
  payload: string;
  consumed_at: number | null;
  /** Sealed. */
  successor: string | null;
  expires_at: number;
};

/** What an account's owner has allowed an application. */
export type OAuthGrantsTable = {
  id: string;
  account_id: string;
  client_id: string;
  client_name: string;
  /** Separated by spaces. */
  scope: string;
  resource: string;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
};

export type ServiceSecretsTable = { name: string; value: string; created_at: number };
/** `subject` is the same for two requests of the same; one of a subject is pending. */
export type ApprovalsTable = {
  id: string;
  account_id: string;
  agent_id: string;
  subject: string;
  status: string;
  /** An ApprovalAction as JSON. */
  action: string;
  /** An ApprovalRequester as JSON. */
  requested_by: string;
  created_at: number;
  expires_at: number;
  kept_until: number;
  decided_at: number | null;
  decided_by: string | null;
  run_id: string | null;
};

export type WriteGrantsTable = { agent_id: string; server: string; granted_at: number };
