// The journals of runs in SQL.

import { type Kysely, sql } from "kysely";
import * as z from "zod/mini";
import {
  type EndedJournal,
  type JournalArchive,
  type JournalEntry,
  type JournalKind,
  type JournalStore,
  journalKinds,
  type KeptEntry,
  type KeptTurn,
} from "../core/runs/journal-port.ts";
import type { Appended } from "../core/runs/queue-port.ts";
import { SqlBlobs } from "./blobs.ts";
import type { Connection } from "./connection.ts";
import { SqlEvents } from "./events.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { row, type TableOf } from "./row.ts";
import { integer, json, named, nullable, oneOf, text } from "./row-columns.ts";
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

const turnsSchema = z.array(z.object({ entry: z.number(), turn: z.number(), seq: z.number() }));

function parseTurns(stored: string): readonly KeptTurn[] {
  return turnsSchema.parse(JSON.parse(stored));
}

export const journalArchiveRow = row<JournalArchive>("journal_archives")({
  runId: text,
  blobKey: text,
  bytes: integer,
  sha256: text,
  turns: json(parseTurns),
  endedAt: named("run_ended_at", integer),
});

declare module "./tables.ts" {
  interface Database {
    run_journal: TableOf<typeof journalRow>;
    journal_archives: TableOf<typeof journalArchiveRow>;
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

  async listEnded({
    endedBefore,
    after,
    limit,
  }: Parameters<JournalStore["listEnded"]>[0]): Promise<readonly EndedJournal[]> {
    const rows = await this.#db
      .selectFrom("run_journal")
      .select(["run_id", "run_ended_at"])
      .where("run_ended_at", "<", endedBefore)
      .$if(after !== null, (query) =>
        query.where(sql<boolean>`(run_ended_at, run_id) > (${after?.endedAt}, ${after?.runId})`),
      )
      .orderBy("run_ended_at")
      .orderBy("run_id")
      .limit(limit)
      .execute();
    return rows.flatMap(({ run_id: runId, run_ended_at: endedAt }) =>
      endedAt === null ? [] : [{ runId, endedAt }],
    );
  }

  async findArchive(runId: string): Promise<JournalArchive | null> {
    const found = await this.#db
      .selectFrom("journal_archives")
      .selectAll()
      .where("run_id", "=", runId)
      .executeTakeFirst();
    return found === undefined ? null : journalArchiveRow.read(found);
  }

  async leave({ now, ...archive }: Parameters<JournalStore["leave"]>[0]): Promise<boolean> {
    const { runId, blobKey: key, bytes } = archive;
    const { numDeletedRows } = await this.#db
      .deleteFrom("run_journal")
      .where("run_id", "=", runId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    if (!(await new SqlBlobs(this.#connection).keep({ key, bytes, now })))
      throw new Error(`The archive of the journal of run ${runId} took so long that its blob was discarded.`);
    await this.#db.insertInto("journal_archives").values(journalArchiveRow.write(archive)).execute();
    return true;
  }

  async deleteEnded({ agentId, now }: Parameters<JournalStore["deleteEnded"]>[0]): Promise<void> {
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
    const archives = await this.#db
      .selectFrom("journal_archives")
      .innerJoin("runs", "runs.id", "journal_archives.run_id")
      .select("runs.id")
      .where("runs.agent_id", "=", agentId)
      .execute();
    await deleteJournals(this.#connection, { runIds: archives.map(({ id }) => id), now });
  }

  async deleteOldest({
    endedBefore,
    limit,
    now,
  }: Parameters<JournalStore["deleteOldest"]>[0]): Promise<number> {
    const oldest = async (table: "run_journal" | "journal_archives") => {
      const ended = await this.#db
        .selectFrom(table)
        .select("run_id")
        .where("run_ended_at", "<", endedBefore)
        .orderBy("run_ended_at")
        .limit(limit)
        .execute();
      return ended.map(({ run_id: id }) => id);
    };
    const runIds = [...(await oldest("run_journal")), ...(await oldest("journal_archives"))];
    await deleteJournals(this.#connection, { runIds, now });
    return runIds.length;
  }
}

/** Deletes the journals of runs, wherever they are. */
export async function deleteJournals(
  connection: Connection,
  { runIds, now }: { readonly runIds: readonly string[]; readonly now: number },
): Promise<void> {
  if (runIds.length === 0) return;
  await connection.db.deleteFrom("run_journal").where("run_id", "in", runIds).execute();
  const gone = await connection.db
    .deleteFrom("journal_archives")
    .where("run_id", "in", runIds)
    .returning("blob_key")
    .execute();
  await new SqlBlobs(connection).discard({ keys: gone.map(({ blob_key: key }) => key), now });
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
