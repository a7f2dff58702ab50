// Makes the tables of before migration 030 again, where a test begins with a store of an earlier version.

/** Statements for both databases, in their order: of migration 046, */
const undoRunsByLastStart: readonly string[] = ["drop index if exists runs_last_start"];

/** of 045, */
const undoRevisionsByCommit: readonly string[] = ["drop index if exists revisions_commit"];

/** of 044, */
const undoJournalArchives: readonly string[] = ["drop table journal_archives"];

/** of 043, */
const undoMcpConnections: readonly string[] = ["drop table mcp_connections"];

/** of 042, */
const undoRunsByPayer: readonly string[] = ["drop index if exists runs_payer"];

/** of 041, */
const undoRunArchives: readonly string[] = [
  "drop index if exists runs_unarchived",
  "drop table run_archives",
];
/** of 039, */
const undoRunIdentity: readonly string[] = ["identity_keys", "audience_grants"].map(
  (table) => `drop table ${table}`,
);

/** of 037, */
const undoKeysOfContinuedRuns: readonly string[] = [
  "alter table idempotency_keys drop column continued_after",
];

/** of 036, */
const undoAccountNames: readonly string[] = ["alter table accounts drop column name"];

/** of 035, */
const undoBegunCommits: readonly string[] = ["alter table workspace_runs drop column begun_commit_oid"];

/** of 034, */
const undoRunFilters: readonly string[] = ["state", "origin", "started_by"].map(
  (name) => `drop index if exists runs_${name}`,
);

/** of 033, */
const undoWhatPeopleStart: readonly string[] = [
  "alter table memberships drop column day_cap_micro_usd",
  "drop index if exists cost_reservations_person",
  ...["account_id", "person_id"].map((column) => `alter table cost_reservations drop column ${column}`),
  "alter table schedules drop column made_by",
];

/** of 032, */
const undoOperators: readonly string[] = [
  ...["operators", "operator_links", "operator_sessions", "nodes"].map((table) => `drop table ${table}`),
  "alter table audit_entries drop column operator_id",
];

/** of 031, with those after it, */
export const undoPullReviews: readonly string[] = [
  ...undoRunsByLastStart,
  ...undoRevisionsByCommit,
  ...undoJournalArchives,
  ...undoMcpConnections,
  ...undoRunsByPayer,
  ...undoRunArchives,
  ...undoRunIdentity,
  ...undoKeysOfContinuedRuns,
  ...undoAccountNames,
  ...undoBegunCommits,
  ...undoRunFilters,
  ...undoWhatPeopleStart,
  ...undoOperators,
  "drop table pull_reviews",
];

/** and of 030, with those after it. */
export const undoUsage: readonly string[] = [
  ...undoPullReviews,
  "drop index if exists ledger_postings_account",
  "alter table ledger_postings drop column billing_account",
  "drop index if exists runs_ended",
  ...["repository", "started_by"].map((column) => `alter table runs drop column ${column}`),
];

/** The same of migration 029, after those. */
export const undoDeliveries: readonly string[] = ["request", "about", "delivery"].map(
  (column) => `alter table runs drop column ${column}`,
);
