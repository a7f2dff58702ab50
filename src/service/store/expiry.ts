// Deletion of rows that are kept for a time only, in SQL.

import { type Kysely, sql } from "kysely";
import type { ExpiryStore } from "../core/runs/store-port.ts";
import type { Connection } from "./connection.ts";
import { discardArchives } from "./run-archives.ts";
import { deleteJournals } from "./run-journal.ts";
import { isUnfinished } from "./run-rows.ts";
import type { Database } from "./tables.ts";

const MAX_RUNS = 100;

type Candidate = { readonly id: string; readonly lastSeq: number };

export class SqlExpiry implements ExpiryStore {
  readonly #db: Kysely<Database>;
  readonly #connection: Connection;
  readonly #hasRowLocks: boolean;

  constructor(connection: Connection) {
    this.#db = connection.db;
    this.#connection = connection;
    this.#hasRowLocks = connection.hasRowLocks;
  }

  async deleteRunContent({
    endedBefore,
    maxEvents,
    now,
  }: {
    endedBefore: number;
    maxEvents: number;
    now: number;
  }): Promise<number> {
    const query = this.#db
      .selectFrom("runs")
      .select(["id", "last_seq as lastSeq"])
      .where(sql<boolean>`content <> 'deleted' and ended_at is not null`)
      .where("ended_at", "<", endedBefore)
      .orderBy("ended_at")
      .orderBy("id")
      .limit(MAX_RUNS);
    // Another node that sweeps at the same time skips these runs.
    const runs = await (this.#hasRowLocks ? query.forUpdate().skipLocked() : query).execute();
    return await deleteContent(this.#connection, { runs, maxEvents, now });
  }

  async eraseDeletedAgent({
    deletedBefore,
    maxEvents,
    now,
  }: {
    deletedBefore: number;
    maxEvents: number;
    now: number;
  }): Promise<number> {
    const ofAgent = this.#db
      .selectFrom("agents")
      .select("id")
      .where(sql<boolean>`deleted_at is not null and erased_at is null`)
      .where("deleted_at", "<", deletedBefore)
      // A run that ends later is erased later, with its agent.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(selectFrom("runs").select("id").whereRef("agent_id", "=", "agents.id").where(isUnfinished)),
        ),
      )
      .orderBy("deleted_at")
      .limit(1);
    const agent = await (this.#hasRowLocks ? ofAgent.forUpdate().skipLocked() : ofAgent).executeTakeFirst();
    if (agent === undefined) return 0;
    const runs = await this.#db
      .selectFrom("runs")
      .select(["id", "last_seq as lastSeq"])
      .where("agent_id", "=", agent.id)
      .where("content", "<>", "deleted")
      // What was done in a workspace stays with the workspace.
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("workspace_runs").select("run_id").whereRef("run_id", "=", "runs.id"))),
      )
      .orderBy("id")
      .limit(MAX_RUNS)
      .execute();
    if (runs.length === 0)
      await this.#db.updateTable("agents").set({ erased_at: now }).where("id", "=", agent.id).execute();
    return 1 + (await deleteContent(this.#connection, { runs, maxEvents, now }));
  }

  async deleteExpired(step: { now: number; auditedBefore: number; limit: number }): Promise<number> {
    const { now, auditedBefore, limit } = step;
    let deleted = 0;
    for (const [table, column, keptMs = 0] of expiring) {
      deleted += await deleteOldest(this.#db, { table, column, before: now - keptMs, limit });
    }
    return (
      deleted +
      (await deleteOldest(this.#db, { table: "audit_entries", column: "at", before: auditedBefore, limit }))
    );
  }
}

/** Returns how many runs it touched. */
async function deleteContent(
  connection: Connection,
  { runs, maxEvents, now }: { runs: readonly Candidate[]; maxEvents: number; now: number },
): Promise<number> {
  const { db } = connection;
  const [first] = runs;
  if (first === undefined) return 0;
  const whole = firstOf(runs, maxEvents);
  const touched = { runIds: whole.length === 0 ? [first.id] : whole, now };
  await discardArchives(connection, touched);
  await deleteJournals(connection, touched);
  if (whole.length === 0) {
    await deletePart(db, { run: first, maxEvents });
    return 1;
  }
  await deleteWhole(db, whole);
  return whole.length;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Tables, the time at which a row ends, and how long it is kept after that: who shows a token late is told that it ended. */
const expiring: readonly (readonly [keyof Database, string, number?])[] = [
  ["token_uses", "usable_until"],
  ["capabilities", "expires_at"],
  ["idempotency_keys", "expires_at"],
  ["claim_tickets", "expires_at"],
  ["pending_claims", "expires_at"],
  ["run_secrets", "expires_at"],
  ["cost_reservations", "expires_at"],
  ["credentials", "expires_at", DAY_MS],
  ["oauth_artifacts", "expires_at"],
  ["oauth_grants", "expires_at", DAY_MS],
  ["sign_in_links", "expires_at"],
  ["invitations", "expires_at"],
  ["sign_in_attempts", "expires_at"],
  ["web_sessions", "expires_at"],
  ["operator_links", "expires_at"],
  ["operator_sessions", "expires_at"],
  ["nodes", "seen_at", DAY_MS],
  ["approvals", "kept_until"],
  ["request_keys", "expires_at"],
  ["operations", "kept_until"],
  ["retention_pins", "until"],
  ["download_links", "expires_at"],
];

/** Deletes about `limit` rows: all of the same time go together. */
async function deleteOldest(
  db: Kysely<Database>,
  step: { table: keyof Database; column: string; before: number; limit: number },
): Promise<number> {
  const { before, limit } = step;
  const [table, column] = [sql.table(step.table), sql.ref(step.column)];
  const last = sql`(select ${column} from ${table} where ${column} < ${before} order by ${column} limit 1 offset ${limit - 1})`;
  const { numAffectedRows } = await sql`
    delete from ${table} where ${column} < ${before} and ${column} <= coalesce(${last}, ${before})
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** The ids of the first runs that have at most `maxEvents` events together. */
function firstOf(runs: readonly Candidate[], maxEvents: number): string[] {
  const ids: string[] = [];
  let events = 0;
  for (const { id, lastSeq } of runs) {
    events += lastSeq;
    if (events > maxEvents) break;
    ids.push(id);
  }
  return ids;
}

async function deleteWhole(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  await db.deleteFrom("run_inputs").where("run_id", "in", ids).execute();
  await db.deleteFrom("run_events").where("run_id", "in", ids).execute();
  await db.deleteFrom("session_copies").where("run_id", "in", ids).execute();
  await db.deleteFrom("run_views").where("run_id", "in", ids).execute();
  await db.updateTable("runs").set({ content: "deleted", request: null }).where("id", "in", ids).execute();
}

/** Deletes the input and the oldest events of a run that has too many events for one step. */
async function deletePart(
  db: Kysely<Database>,
  { run, maxEvents }: { run: Candidate; maxEvents: number },
): Promise<void> {
  await db.deleteFrom("run_inputs").where("run_id", "=", run.id).execute();
  await db.deleteFrom("run_views").where("run_id", "=", run.id).execute();
  const oldest = await db
    .selectFrom("run_events")
    .select("seq")
    .where("run_id", "=", run.id)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  const upTo = (oldest?.seq ?? run.lastSeq) + maxEvents - 1;
  await db.deleteFrom("run_events").where("run_id", "=", run.id).where("seq", "<=", upTo).execute();
  const content = upTo < run.lastSeq ? "deleting" : "deleted";
  await db.updateTable("runs").set({ content, request: null }).where("id", "=", run.id).execute();
}
