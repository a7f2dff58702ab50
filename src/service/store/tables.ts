// The tables, as Kysely sees them. Times are milliseconds, money is micro-USD, both 64-bit integers.

export type Database = {
  agents: AgentsTable;
  capabilities: CapabilitiesTable;
  token_uses: TokenUsesTable;
  claim_tickets: ClaimTicketsTable;
  audit_entries: AuditEntriesTable;
  sessions: SessionsTable;
  idempotency_keys: IdempotencyKeysTable;
  runs: RunsTable;
  run_inputs: RunInputsTable;
  run_events: RunEventsTable;
  ledger_accounts: LedgerAccountsTable;
  ledger_postings: LedgerPostingsTable;
};

export type AgentsTable = {
  id: string;
  account_id: string | null;
  provider: string;
  issuer: string;
  repository_id: string;
  owner_id: string;
  repository_name: string;
  visibility: string;
  backend: string;
  created_at: number;
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

export type ClaimTicketsTable = { hash: string; agent_id: string; created_at: number; expires_at: number };

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
};

export type SessionsTable = { id: string; agent_id: string; created_at: number };

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
  tokens: number | null;
  model_calls: number | null;
  gross_micro_usd: number;
  refunded_micro_usd: number;
  refund_reason: string | null;
  last_seq: number;
  fence: number;
};

/** A run's input as JSON, apart from the run: polls read runs often and inputs never. */
export type RunInputsTable = { run_id: string; input: string };

export type RunEventsTable = { run_id: string; seq: number; at: number; event: string };

/** Only accounts that may not fall below zero have a row; their balance is the sum of their postings. */
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
