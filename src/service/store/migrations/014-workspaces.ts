// Forward only. Workspaces: files as git's objects, copies with what was written since their base, revisions, changesets,
// the work of agents in them, and the idempotency keys of requests that make no run.
// Why: docs/decisions/073-workspaces-keep-gits-objects.md

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await workspaceTables(db);
  await fileTables(db, types);
  await revisionTables(db);
  await workTables(db);
  await consumerTables(db);
  await eventTables(db);
  await db.schema
    .createTable("request_keys")
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("request_hash", "text", (column) => column.notNull())
    .addColumn("subject_id", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("request_keys_key", ["scope", "key"])
    .execute();
  await db.schema.createIndex("request_keys_expiry").on("request_keys").column("expires_at").execute();
}

type Types = ReturnType<typeof columnTypes>;

/** Paths are compared byte by byte, as git does: SQLite does so anyway. */
function columnTypes(db: Kysely<unknown>) {
  const isPostgres = db.getExecutor().adapter.supportsTransactionalDdl;
  return {
    bytes: isPostgres ? sql`bytea` : sql`blob`,
    path: isPostgres ? sql`text collate "C"` : sql`text`,
  };
}

async function workspaceTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("workspaces")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("manager_agent_id", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("canonical_copy_id", "text", (column) => column.notNull())
    .addColumn("current_revision_id", "text", (column) => column.notNull())
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("workspaces_account").on("workspaces").columns(["account_id", "id"]).execute();
  await schema.createIndex("workspaces_manager").on("workspaces").column("manager_agent_id").execute();

  await schema
    .createTable("workspace_members")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addUniqueConstraint("workspace_members_agent", ["workspace_id", "agent_id"])
    .execute();
  await schema.createIndex("workspace_members_of").on("workspace_members").column("agent_id").execute();

  await schema
    .createTable("workspace_threads")
    .addColumn("session_id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("title", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createIndex("workspace_threads_workspace")
    .on("workspace_threads")
    .columns(["workspace_id", "session_id"])
    .execute();

  await schema
    .createTable("context_items")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("content", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createIndex("context_items_workspace")
    .on("context_items")
    .columns(["workspace_id", "id"])
    .execute();
}

async function fileTables({ schema }: Kysely<unknown>, { bytes, path }: Types): Promise<void> {
  await schema
    .createTable("workspace_objects")
    .addColumn("key", path, (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("oid", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("size", "bigint", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("data", bytes)
    .addColumn("blob_key", "text")
    .addColumn("touched_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createIndex("workspace_objects_workspace")
    .on("workspace_objects")
    .columns(["workspace_id", "oid"])
    .execute();

  await schema
    .createTable("copies")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("is_canonical", "bigint", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("base_revision_id", "text", (column) => column.notNull())
    .addColumn("base_tree_oid", "text", (column) => column.notNull())
    .addColumn("held_by_run_id", "text")
    .addColumn("held_fence", "bigint")
    .addColumn("held_until", "bigint")
    .addColumn("saved_revision_id", "text")
    .addColumn("created_by", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("copies_workspace").on("copies").columns(["workspace_id", "id"]).execute();
  await schema.createIndex("copies_base").on("copies").column("base_revision_id").execute();

  await schema
    .createTable("copy_entries")
    .addColumn("copy_id", "text", (column) => column.notNull())
    .addColumn("path", path, (column) => column.notNull())
    .addColumn("oid", "text")
    .addColumn("mode", "text")
    .addColumn("size", "bigint")
    .addColumn("changed_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("copy_entries_key", ["copy_id", "path"])
    .execute();

  await schema
    .createTable("copy_trash")
    .addColumn("handle", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("copy_id", "text", (column) => column.notNull())
    .addColumn("path", path, (column) => column.notNull())
    .addColumn("mode", "text", (column) => column.notNull())
    .addColumn("oid", "text", (column) => column.notNull())
    .addColumn("files", "bigint", (column) => column.notNull())
    .addColumn("deleted_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("copy_trash_age").on("copy_trash").column("deleted_at").execute();
  await schema.createIndex("copy_trash_copy").on("copy_trash").columns(["copy_id", "handle"]).execute();

  await schema
    .createTable("download_links")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("copy_id", "text", (column) => column.notNull())
    .addColumn("path", path, (column) => column.notNull())
    .addColumn("oid", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("download_links_expiry").on("download_links").column("expires_at").execute();
}

async function revisionTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("revisions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("commit_oid", "text", (column) => column.notNull())
    .addColumn("tree_oid", "text", (column) => column.notNull())
    .addColumn("parent_ids", "text", (column) => column.notNull())
    .addColumn("message", "text", (column) => column.notNull())
    .addColumn("author", "text", (column) => column.notNull())
    .addColumn("files", "bigint", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("accepted_at", "bigint")
    .execute();
  await sql`create index revisions_unaccepted on revisions (created_at) where accepted_at is null`.execute(
    db,
  );
  await schema.createIndex("revisions_workspace").on("revisions").columns(["workspace_id", "id"]).execute();

  await schema
    .createTable("retention_pins")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("revision_id", "text", (column) => column.notNull())
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("until", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createIndex("retention_pins_workspace")
    .on("retention_pins")
    .columns(["workspace_id", "id"])
    .execute();

  // When the objects of a workspace were swept for those that nothing needs.
  await schema
    .createTable("workspace_sweeps")
    .addColumn("workspace_id", "text", (column) => column.primaryKey())
    .addColumn("swept_at", "bigint", (column) => column.notNull())
    .execute();

  await schema.createIndex("retention_pins_revision").on("retention_pins").column("revision_id").execute();

  await schema
    .createTable("operations")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("input", "text", (column) => column.notNull())
    .addColumn("progress", "text", (column) => column.notNull())
    .addColumn("result", "text", (column) => column.notNull())
    .addColumn("error", "text")
    .addColumn("fence", "bigint", (column) => column.notNull())
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("ended_at", "bigint")
    .addColumn("kept_until", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("operations_workspace").on("operations").columns(["workspace_id", "id"]).execute();
  await schema.createIndex("operations_expiry").on("operations").column("kept_until").execute();
  await sql`create index operations_open on operations (lease_until) where status in ('queued', 'running')`.execute(
    db,
  );

  await schema
    .createTable("changesets")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("summary", "text", (column) => column.notNull())
    .addColumn("copy_id", "text")
    .addColumn("revision_id", "text", (column) => column.notNull())
    .addColumn("base_revision_id", "text", (column) => column.notNull())
    .addColumn("target_revision_id", "text", (column) => column.notNull())
    .addColumn("files", "bigint", (column) => column.notNull())
    .addColumn("additions", "bigint")
    .addColumn("deletions", "bigint")
    .addColumn("conflicts", "text", (column) => column.notNull())
    .addColumn("evidence", "text")
    .addColumn("reject_reason", "text")
    .addColumn("accepted_revision_id", "text")
    .addColumn("task_group_id", "text")
    .addColumn("created_by", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("decided_at", "bigint")
    .addColumn("decided_by", "text")
    .execute();
  await schema.createIndex("changesets_workspace").on("changesets").columns(["workspace_id", "id"]).execute();
  await schema.createIndex("changesets_revision").on("changesets").column("revision_id").execute();
  await schema.createIndex("changesets_group").on("changesets").column("task_group_id").execute();

  await schema
    .createTable("adoptions")
    .addColumn("workspace_id", "text", (column) => column.primaryKey())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("objects", "bigint", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("error", "text")
    .addColumn("sha", "text", (column) => column.notNull())
    .addColumn("before_revision_id", "text", (column) => column.notNull())
    .addColumn("revision_id", "text")
    .addColumn("operation_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("ended_at", "bigint")
    .execute();
}

async function workTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("task_groups")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("budget_micro_usd", "bigint")
    .addColumn("max_workers", "bigint", (column) => column.notNull())
    .addColumn("created_by", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("stopped_at", "bigint")
    .execute();
  await schema
    .createIndex("task_groups_workspace")
    .on("task_groups")
    .columns(["workspace_id", "id"])
    .execute();

  await schema
    .createTable("workspace_runs")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("copy_id", "text")
    .addColumn("task_group_id", "text")
    .addColumn("worker_id", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  for (const column of ["workspace_id", "task_group_id", "copy_id"] as const) {
    await schema
      .createIndex(`workspace_runs_${column}`)
      .on("workspace_runs")
      .columns([column, "run_id"])
      .execute();
  }

  await schema
    .createTable("workers")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("task_group_id", "text", (column) => column.notNull())
    .addColumn("copy_id", "text", (column) => column.notNull())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("save_state", "text", (column) => column.notNull())
    .addColumn("saved_revision_id", "text")
    .addColumn("save_error", "text")
    .addColumn("share_micro_usd", "bigint")
    .addColumn("created_by", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("saved_at", "bigint")
    .execute();
  await schema.createIndex("workers_workspace").on("workers").columns(["workspace_id", "id"]).execute();
  await schema.createIndex("workers_group").on("workers").columns(["task_group_id", "id"]).execute();
  await schema.createIndex("workers_run").on("workers").column("run_id").execute();
  await sql`create index workers_unsettled on workers (id) where save_state in ('none', 'saving')`.execute(
    db,
  );
}

async function consumerTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("sites")
    .addColumn("workspace_id", "text", (column) => column.primaryKey())
    .addColumn("revision_id", "text", (column) => column.notNull())
    .addColumn("folder", "text", (column) => column.notNull())
    .addColumn("published_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("site_links")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("site_links_expiry").on("site_links").column("expires_at").execute();
  await schema.createIndex("site_links_workspace").on("site_links").column("workspace_id").execute();
  for (const noun of ["schedule", "workflow"] as const) {
    await schema
      .createTable(`workspace_${noun}s`)
      .addColumn(`${noun}_id`, "text", (column) => column.primaryKey())
      .addColumn("workspace_id", "text", (column) => column.notNull())
      .execute();
    await schema
      .createIndex(`workspace_${noun}s_workspace`)
      .on(`workspace_${noun}s`)
      .columns(["workspace_id", `${noun}_id`])
      .execute();
  }
}

async function eventTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("workspace_feeds")
    .addColumn("workspace_id", "text", (column) => column.primaryKey())
    .addColumn("last_seq", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("workspace_events")
    .addColumn("workspace_id", "text", (column) => column.notNull())
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("what", "text", (column) => column.notNull())
    .addColumn("subject_id", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("workspace_events_key", ["workspace_id", "seq"])
    .execute();
}
