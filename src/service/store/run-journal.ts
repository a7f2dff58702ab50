// The journals of runs at work in SQL.

import type { Kysely } from "kysely";
import {
  type JournalEntry,
  type JournalKind,
  type JournalStore,
  journalKinds,
} from "../core/runs/journal-port.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const journalRow = row<JournalEntry>("run_journal")({
  runId: text,
  entry: integer,
  kind: oneOf(journalKinds),
  version: integer,
  body: text,
  tree: nullable(text),
});

declare module "./tables.ts" {
  interface Database {
    run_journal: TableOf<typeof journalRow>;
  }
}

export class SqlRunJournal implements JournalStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
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

  async append(entry: JournalEntry): Promise<void> {
    await this.#ask(insertEntry, journalRow.write(entry));
  }

  async supersede({ runId, before, what }: Parameters<JournalStore["supersede"]>[0]): Promise<void> {
    await this.#db
      .updateTable("run_journal")
      .set(what === "body" ? { body: "" } : { tree: null })
      .where("run_id", "=", runId)
      .where("entry", "<", before)
      .execute();
  }

  async delete(runId: string): Promise<void> {
    await this.#db.deleteFrom("run_journal").where("run_id", "=", runId).execute();
  }
}

const insertEntry = keepQuery<TableOf<typeof journalRow>>(...journalRow.columns)((db, values) =>
  db.insertInto("run_journal").values(values),
);
