// Archives of runs in SQL: a row for each run whose events are in a blob.
// Why: docs/decisions/175-events-of-ended-runs-leave-the-database.md

import { type Kysely, sql } from "kysely";
import * as z from "zod/mini";
import type { ArchiveBlock, ArchiveStore, DueRun, RunArchive } from "../core/runs/archives/archive-port.ts";
import { SqlBlobs } from "./blobs.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, json, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

const blocksSchema = z.array(z.object({ first: z.number(), bytes: z.number(), sha256: z.string() }));

function parseBlocks(stored: string): readonly ArchiveBlock[] {
  return blocksSchema.parse(JSON.parse(stored));
}

export const runArchiveRow = row<RunArchive>("run_archives")({
  runId: text,
  blobKey: text,
  bytes: integer,
  sha256: text,
  blocks: json(parseBlocks),
});

declare module "./tables.ts" {
  interface Database {
    run_archives: TableOf<typeof runArchiveRow>;
  }
}

/** The condition of the index `runs_unarchived`: a query uses it only where it repeats the condition. */
const areRows = sql<boolean>`content in ('kept', 'archiving') and ended_at is not null`;

export class SqlRunArchives implements ArchiveStore {
  readonly #db: Kysely<Database>;
  readonly #blobs: SqlBlobs;

  constructor(connection: Connection) {
    this.#db = connection.db;
    this.#blobs = new SqlBlobs(connection);
  }

  async find(runId: string): Promise<RunArchive | null> {
    const found = await this.#db
      .selectFrom("run_archives")
      .selectAll()
      .where("run_id", "=", runId)
      .executeTakeFirst();
    return found === undefined ? null : runArchiveRow.read(found);
  }

  async listDue({
    endedBefore,
    after,
    limit,
  }: Parameters<ArchiveStore["listDue"]>[0]): Promise<readonly DueRun[]> {
    const rows = await this.#db
      .selectFrom("runs")
      .select(["id", "ended_at", "last_seq", "content"])
      .where(areRows)
      .where("ended_at", "<", endedBefore)
      .$if(after !== null, (query) =>
        query.where(sql<boolean>`(ended_at, id) > (${after?.endedAt}, ${after?.id})`),
      )
      .orderBy("ended_at")
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.flatMap(({ id, ended_at: endedAt, last_seq: lastSeq, content }) =>
      endedAt === null ? [] : [{ id, endedAt, lastSeq, isArchived: content === "archiving" }],
    );
  }

  async keep(archive: Parameters<ArchiveStore["keep"]>[0]): Promise<boolean> {
    const { runId, blobKey, bytes, lastSeq, now } = archive;
    const { numUpdatedRows } = await this.#db
      .updateTable("runs")
      .set({ content: "archiving" })
      .where("id", "=", runId)
      .where("content", "=", "kept")
      .where("last_seq", "=", lastSeq)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    if (!(await this.#blobs.keep({ key: blobKey, bytes, now })))
      throw new Error(`The archive of run ${runId} took so long that its blob was discarded.`);
    await this.#db.insertInto("run_archives").values(runArchiveRow.write(archive)).execute();
    return true;
  }

  async deleteRows({ runId, limit }: Parameters<ArchiveStore["deleteRows"]>[0]): Promise<boolean> {
    const events = this.#db.selectFrom("run_events").select("seq").where("run_id", "=", runId);
    const oldest = await events.orderBy("seq").limit(1).executeTakeFirst();
    if (oldest !== undefined) {
      const upTo = oldest.seq + limit - 1;
      await this.#db
        .deleteFrom("run_events")
        .where("run_id", "=", runId)
        .where("seq", "<=", upTo)
        // An archive that was discarded meanwhile is not what these rows are read from.
        .where(({ exists, selectFrom }) =>
          exists(selectFrom("run_archives").select("run_id").where("run_id", "=", runId)),
        )
        .execute();
      const left = await events.where("seq", ">", upTo).limit(1).executeTakeFirst();
      if (left !== undefined) return true;
    }
    await this.#db
      .updateTable("runs")
      .set({ content: "archived" })
      .where("id", "=", runId)
      .where("content", "=", "archiving")
      .execute();
    return false;
  }
}

/** Deletes the archives of runs whose events are kept no longer. */
export async function discardArchives(
  connection: Connection,
  { runIds, now }: { readonly runIds: readonly string[]; readonly now: number },
): Promise<void> {
  const gone = await connection.db
    .deleteFrom("run_archives")
    .where("run_id", "in", runIds)
    .returning("blob_key")
    .execute();
  await new SqlBlobs(connection).discard({ keys: gone.map(({ blob_key: key }) => key), now });
}
