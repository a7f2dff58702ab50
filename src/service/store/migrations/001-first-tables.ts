// Forward only. The same statements on SQLite and PostgreSQL.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;

  await schema
    .createTable("accounts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("plan", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("subscription_id", "text")
    .addColumn("sku", "text")
    .addColumn("monthly_credits", "bigint")
    .addColumn("subscription_status", "text")
    .addColumn("subscribed_at", "bigint")
    .addColumn("period", "bigint")
    .addColumn("period_end", "bigint")
    .addColumn("cancel_at_period_end", "integer")
    .execute();
  // Contains only subscriptions that continue. `accounts.listDue` repeats its condition.
  await sql`create index accounts_period_end on accounts (period_end) where subscription_status in ('active', 'past_due')`.execute(
    db,
  );

  await schema
    .createTable("api_keys")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("caller_class", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("hint", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .execute();

  await schema
    .createTable("agents")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text")
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("kind", "text")
    .addColumn("model", "text")
    .addColumn("config", "text", (column) => column.notNull())
    .addColumn("advisor_max_spend_micro_usd", "bigint")
    .addColumn("ci_policy", "text")
    .addColumn("provider", "text")
    .addColumn("issuer", "text")
    .addColumn("repository_id", "text")
    .addColumn("owner_id", "text")
    .addColumn("repository_name", "text")
    .addColumn("visibility", "text")
    .addColumn("backend", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("retired_at", "bigint")
    .addUniqueConstraint("agents_repository", ["issuer", "repository_id"])
    .execute();

  await schema.createIndex("agents_account").on("agents").columns(["account_id", "id"]).execute();

  await schema
    .createTable("capabilities")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("job", "text", (column) => column.notNull())
    .addColumn("issued_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("revoked_at", "bigint")
    .execute();
  await schema.createIndex("capabilities_expiry").on("capabilities").column("expires_at").execute();

  await schema
    .createTable("token_uses")
    .addColumn("issuer", "text", (column) => column.notNull())
    .addColumn("replay_key", "text", (column) => column.notNull())
    .addColumn("usable_until", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("token_uses_key", ["issuer", "replay_key"])
    .execute();
  await schema.createIndex("token_uses_expiry").on("token_uses").column("usable_until").execute();

  await schema
    .createTable("claim_tickets")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("used_by", "text")
    .execute();

  await schema
    .createTable("pending_claims")
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("pending_claims_key", ["agent_id", "account_id"])
    .execute();

  await schema
    .createTable("audit_entries")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("request_id", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("outcome", "text", (column) => column.notNull())
    .addColumn("issuer", "text")
    .addColumn("repository_id", "text")
    .addColumn("repository_name", "text")
    .addColumn("ci_run_id", "text")
    .addColumn("account_id", "text")
    .execute();

  await schema
    .createTable("sessions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("run_count", "bigint", (column) => column.notNull())
    .execute();

  await schema
    .createTable("session_copies")
    .addColumn("session_id", "text", (column) => column.primaryKey())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("base_sha", "text", (column) => column.notNull())
    .addColumn("patch", "text", (column) => column.notNull())
    .execute();

  await schema
    .createTable("session_keys")
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("thread_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("session_keys_key", ["agent_id", "key"])
    .execute();

  await schema.createIndex("sessions_agent").on("sessions").columns(["agent_id", "id"]).execute();

  await schema
    .createTable("schedules")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("prompt", "text", (column) => column.notNull())
    .addColumn("fire_at", "bigint", (column) => column.notNull())
    .addColumn("pinned_session_id", "text")
    .addColumn("thread_id", "text")
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("last_error", "text")
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("due_at", "bigint", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.unique())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_fired_at", "bigint")
    .addColumn("confirmed_at", "bigint")
    .execute();
  await schema.createIndex("schedules_agent").on("schedules").columns(["agent_id", "id"]).execute();
  // Contains only schedules that the scheduler waits for. Its queries repeat the condition.
  await sql`create index schedules_due on schedules (due_at, id) where status in ('pending', 'firing')`.execute(
    db,
  );

  await schema
    .createTable("idempotency_keys")
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("thread_id", "text", (column) => column.notNull())
    .addColumn("request_hash", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("idempotency_keys_key", ["agent_id", "key"])
    .execute();
  await schema.createIndex("idempotency_keys_expiry").on("idempotency_keys").column("expires_at").execute();

  await schema
    .createTable("runs")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("thread_id", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("origin", "text", (column) => column.notNull())
    .addColumn("parent_run_id", "text")
    .addColumn("payer", "text", (column) => column.notNull())
    .addColumn("hold_micro_usd", "bigint", (column) => column.notNull())
    .addColumn("submitted_at", "bigint", (column) => column.notNull())
    .addColumn("started_at", "bigint")
    .addColumn("heartbeat_at", "bigint")
    .addColumn("ended_at", "bigint")
    .addColumn("cause", "text")
    .addColumn("retryable", "integer", (column) => column.notNull())
    .addColumn("stop_reason", "text")
    .addColumn("usage", "text")
    .addColumn("gross_micro_usd", "bigint", (column) => column.notNull())
    .addColumn("refunded_micro_usd", "bigint", (column) => column.notNull())
    .addColumn("refund_reason", "text")
    .addColumn("last_seq", "bigint", (column) => column.notNull())
    .addColumn("fence", "bigint", (column) => column.notNull())
    .addColumn("thread_seq", "bigint", (column) => column.notNull())
    .addColumn("content", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("runs_agent").on("runs").columns(["agent_id", "id"]).execute();
  await schema.createIndex("runs_thread").on("runs").columns(["thread_id", "thread_seq"]).execute();
  // Contains few rows. Finds the children of a run, and the queued child that goes before all other runs.
  await sql`create index runs_delegated on runs (id) where status in ('queued', 'running', 'cancelling') and parent_run_id is not null`.execute(
    db,
  );
  // Contains runs whose input and events are not deleted yet. `expiry.deleteRunContent` repeats its condition.
  await sql`create index runs_content on runs (ended_at, id) where content <> 'deleted' and ended_at is not null`.execute(
    db,
  );
  // Contains only runs that have not ended, which are few. `queue.listUnfinished` repeats its condition.
  await sql`create index runs_unfinished on runs (id) where status in ('queued', 'running', 'cancelling')`.execute(
    db,
  );

  await schema
    .createTable("run_inputs")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .addColumn("input", "text", (column) => column.notNull())
    .execute();

  await schema
    .createTable("run_events")
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("event", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_events_key", ["run_id", "seq"])
    .execute();

  await schema
    .createTable("workflows")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("active_version", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("workflows_agent").on("workflows").columns(["agent_id", "id"]).execute();

  await schema
    .createTable("workflow_versions")
    .addColumn("workflow_id", "text", (column) => column.notNull())
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("prompt", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("workflow_versions_key", ["workflow_id", "version"])
    .execute();

  await schema
    .createTable("ledger_accounts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("balance_micro_usd", "bigint", (column) => column.notNull())
    .execute();

  await schema
    .createTable("ledger_postings")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("from_account", "text", (column) => column.notNull())
    .addColumn("to_account", "text", (column) => column.notNull())
    .addColumn("micro_usd", "bigint", (column) => column.notNull())
    .addColumn("run_id", "text")
    .execute();
  await schema.createIndex("ledger_postings_run").on("ledger_postings").column("run_id").execute();
}
