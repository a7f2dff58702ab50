// Forward only. What waits for an owner's approval, the write grants of agents, and an index of the runs that ended with a
// question. Schedules that wait for their confirmation have an approval with their id.

import { type Kysely, sql } from "kysely";

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("approvals")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("requested_by", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("kept_until", "bigint", (column) => column.notNull())
    .addColumn("decided_at", "bigint")
    .addColumn("decided_by", "text")
    .addColumn("run_id", "text")
    .execute();
  await schema.createIndex("approvals_account").on("approvals").columns(["account_id", "id"]).execute();
  await schema.createIndex("approvals_subject").on("approvals").columns(["agent_id", "subject"]).execute();
  await schema.createIndex("approvals_expiry").on("approvals").column("kept_until").execute();
  // The same request twice is one.
  await sql`create unique index approvals_pending on approvals (agent_id, subject) where status = 'pending'`.execute(
    db,
  );

  await schema
    .createTable("write_grants")
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("server", "text", (column) => column.notNull())
    .addColumn("granted_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("write_grants_key", ["agent_id", "server"])
    .execute();

  await sql`create index runs_question on runs (agent_id, id) where stop_reason = 'question'`.execute(db);

  await confirmable(db);
}

/** Those of earlier versions. Nobody knows any more which client made them. */
async function confirmable(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{
    id: string;
    agent_id: string;
    account_id: string;
    prompt: string;
    fire_at: number;
    created_at: number;
  }>`select s.id, s.agent_id, a.account_id, s.prompt, s.fire_at, s.created_at from schedules s
     join agents a on a.id = s.agent_id
     where s.status = 'awaiting_confirmation' and a.account_id is not null`.execute(db);
  for (const row of rows) {
    const fireAt = Number(row.fire_at);
    const action = JSON.stringify({
      kind: "confirm_schedule",
      scheduleId: row.id,
      prompt: row.prompt,
      fireAt,
    });
    await sql`insert into approvals
      (id, account_id, agent_id, subject, status, action, requested_by, created_at, expires_at, kept_until)
      values (${row.id}, ${row.account_id}, ${row.agent_id}, ${`schedule:${row.id}`}, 'pending', ${action},
        ${JSON.stringify({ type: "ai_client", name: null })}, ${Number(row.created_at)}, ${fireAt}, ${fireAt + KEPT_MS})`.execute(
      db,
    );
  }
}
