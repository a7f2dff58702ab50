// The journals of runs in SQL.

import { type Kysely, sql } from "kysely";
import {
  type JournalEntry,
  type JournalKind,
  type JournalStore,
  journalKinds,
  type KeptEntry,
  type KeptTurn,
} from "../core/runs/journal-port.ts";
import type { Appended } from "../core/runs/queue-port.ts";
import type { Connection } from "./connection.ts";
import { SqlEvents } from "./events.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const journalRow = row<JournalEntry>("run_journal")(
  {
    runId: text,
    entry: integer,
    kind: oneOf(journalKinds),
    version: integer,
    body: text,
    tree: nullable(text),
    turn: nullable(integer),
    seq: nullable(integer),
  },
  // Of the first entry of a run that has ended.
  { runEndedAt: nullable(integer) },
);

declare module "./tables.ts" {
  interface Database {
    run_journal: TableOf<typeof journalRow>;
  }
}

export class SqlRunJournal implements JournalStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#db = connection.db;
    this.#ask = connection.ask;
    this.#connection = connection;
  }

  async list(runId: string): Promise<readonly JournalEntry[]> {
    const rows = await this.#db
      .selectFrom("run_journal")
      .selectAll()
      .where("run_id", "=", runId)
      .orderBy("entry")
      .execute();
    return rows.map(journalRow.read);
  }

  async listKinds(runId: string): Promise<readonly (JournalKind | null)[]> {
    const rows = await this.#db
      .selectFrom("run_journal")
      .select("kind")
      .where("run_id", "=", runId)
      .orderBy("entry")
      .execute();
    return rows.map(({ kind }) => journalKinds.find((known) => known === kind) ?? null);
  }

  async listTurns(runId: string): Promise<readonly KeptTurn[]> {
    const entries = await this.#db
      .selectFrom("run_journal")
      .select(["entry", "kind", "turn", "seq"])
      .select(sql<number>`case when body = '' then 0 else 1 end`.as("hasBody"))
      .select(
        sql<number | null>`case when tree is null then null when tree = '' then 0 else 1 end`.as("hasTree"),
      )
      .where("run_id", "=", runId)
      .orderBy("entry")
      .execute();
    const found = new Map<number, KeptTurn>();
    let areFilesThere = true;
    for (const { entry, kind, turn, seq, hasBody, hasTree } of entries) {
      if (hasTree !== null) areFilesThere = hasTree === 1;
      const isTurn = (kind === "turn" || kind === "kept") && turn !== null && seq !== null;
      if (isTurn && hasBody === 1 && areFilesThere && !found.has(turn)) found.set(turn, { entry, turn, seq });
    }
    return [...found.values()];
  }

  async hasTree(runId: string): Promise<boolean> {
    const first = await this.#db
      .selectFrom("run_journal")
      .select("entry")
      .where("run_id", "=", runId)
      .where("tree", "is not", null)
      .limit(1)
      .executeTakeFirst();
    return first !== undefined;
  }

  async append(entry: JournalEntry): Promise<void> {
    await this.#ask(insertEntry, journalRow.write(entry, { runEndedAt: null }));
  }

  async keep({
    entry,
    emptiesBodiesBefore,
    emptiesTreesBefore,
    ...batch
  }: KeptEntry): Promise<Appended | null> {
    const appended = await new SqlEvents(this.#connection).append(batch);
    if (appended === null) return null;
    await this.append({ ...entry, seq: entry.turn === null ? null : appended.lastSeq });
    const { runId } = entry;
    if (emptiesBodiesBefore > 0) await this.#ask(emptyEarlier.body, { runId, before: emptiesBodiesBefore });
    if (emptiesTreesBefore > 0) await this.#ask(emptyEarlier.tree, { runId, before: emptiesTreesBefore });
    return appended;
  }

  async delete(runId: string): Promise<void> {
    await this.#db.deleteFrom("run_journal").where("run_id", "=", runId).execute();
  }

  async end({ runId, now }: { readonly runId: string; readonly now: number }): Promise<void> {
    await this.#db
      .updateTable("run_journal")
      .set({ run_ended_at: now })
      .where("run_id", "=", runId)
      .where("entry", "=", 1)
      .execute();
  }

  async deleteEnded(agentId: string): Promise<void> {
    await this.#db
      .deleteFrom("run_journal")
      .where("run_id", "in", (query) =>
        query
          .selectFrom("run_journal as first")
          .innerJoin("runs", "runs.id", "first.run_id")
          .select("runs.id")
          .where("first.run_ended_at", "is not", null)
          .where("runs.agent_id", "=", agentId),
      )
      .execute();
  }

  async deleteOldest({ endedBefore, limit }: Parameters<JournalStore["deleteOldest"]>[0]): Promise<number> {
    const ended = await this.#db
      .selectFrom("run_journal")
      .select("run_id")
      .where("run_ended_at", "<", endedBefore)
      .orderBy("run_ended_at")
      .limit(limit)
      .execute();
    const ids = ended.map(({ run_id: id }) => id);
    if (ids.length > 0) await this.#db.deleteFrom("run_journal").where("run_id", "in", ids).execute();
    return ids.length;
  }
}

const insertEntry = keepQuery<TableOf<typeof journalRow>>(...journalRow.columns)((db, values) =>
  db.insertInto("run_journal").values(values),
);

type Earlier = { readonly runId: string; readonly before: number };

/** What is empty already is not written again: a run may have many entries. */
const emptyEarlier = {
  body: keepQuery<Earlier>(
    "runId",
    "before",
  )((db, { runId, before }) =>
    db
      .updateTable("run_journal")
      .set({ body: "" })
      .where("run_id", "=", runId)
      .where("entry", "<", before)
      .where("body", "<>", ""),
  ),
  tree: keepQuery<Earlier>(
    "runId",
    "before",
  )((db, { runId, before }) =>
    db
      .updateTable("run_journal")
      .set({ tree: "" })
      .where("run_id", "=", runId)
      .where("entry", "<", before)
      .where("tree", "<>", ""),
  ),
};
