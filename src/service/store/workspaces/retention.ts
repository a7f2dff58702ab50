// Retention of workspaces' contents, in SQL.

import { type Kysely, sql } from "kysely";
import type { CleanupItem, Pin, RetentionUsage } from "../../core/workspaces/retention/retention.ts";
import type {
  CleanupPage,
  CleanupPlace,
  RetentionStore,
} from "../../core/workspaces/retention/store-port.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, nullable, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";
import { isUnused } from "./revision-use.ts";

type CleanupRow = {
  readonly kind: string;
  readonly id: string;
  readonly at: number;
  readonly copy_id: string | null;
  readonly path: string | null;
};

const revisionId = sql.ref("revisions.id");

export const pinRow = row<Pin>("retention_pins")({
  id: text,
  workspaceId: text,
  revisionId: text,
  reason: text,
  until: nullable(integer),
  createdAt: integer,
});

export const sweepRow = row<{ readonly workspaceId: string; readonly sweptAt: number }>("workspace_sweeps")({
  workspaceId: text,
  sweptAt: integer,
});

declare module "../tables.ts" {
  interface Database {
    retention_pins: TableOf<typeof pinRow>;
    workspace_sweeps: TableOf<typeof sweepRow>;
  }
}

export class SqlRetention implements RetentionStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async findPin(id: string): Promise<Pin | null> {
    const row = await this.#db
      .selectFrom("retention_pins")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    return row === undefined ? null : pinRow.read(row);
  }

  async listPins(page: {
    workspaceId: string;
    before: string | null;
    limit: number;
  }): Promise<readonly Pin[]> {
    const { workspaceId, before, limit } = page;
    const all = this.#db.selectFrom("retention_pins").selectAll().where("workspace_id", "=", workspaceId);
    const query = before === null ? all : all.where("id", "<", before);
    return (await query.orderBy("id", "desc").limit(limit).execute()).map(pinRow.read);
  }

  async listCleanup(page: CleanupPage): Promise<readonly (CleanupItem & CleanupPlace)[]> {
    const { workspaceId, now, after, limit } = page;
    const { at, id } = after ?? { at: -1, id: "" };
    const { rows } = await sql<CleanupRow>`
      select * from (
        select 'revision' as kind, id, created_at as at, null as copy_id, null as path from revisions
        where workspace_id = ${workspaceId} and accepted_at is null and ${isUnused(revisionId, now)}
        union all
        select 'trash' as kind, handle as id, deleted_at as at, copy_id, path from copy_trash
        where workspace_id = ${workspaceId}
      ) as items
      where at > ${at} or (at = ${at} and id > ${id})
      order by at, id limit ${limit}
    `.execute(this.#db);
    return rows.map(toCleanupItem);
  }

  async measure(workspaceId: string): Promise<RetentionUsage> {
    const { rows } = await sql<{ objects: number; bytes: number; revisions: number; copies: number }>`
      select count(*) as objects, coalesce(sum(size), 0) as bytes,
      (select count(*) from revisions where workspace_id = ${workspaceId}) as revisions,
      (select count(*) from copies where workspace_id = ${workspaceId}) as copies
      from workspace_objects where workspace_id = ${workspaceId}
    `.execute(this.#db);
    const [{ objects, bytes, revisions, copies } = { objects: 0, bytes: 0, revisions: 0, copies: 0 }] = rows;
    return {
      objects: Number(objects),
      bytes: Number(bytes),
      revisions: Number(revisions),
      copies: Number(copies),
    };
  }

  async listUnused(query: { madeBefore: number; now: number; limit: number }): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("revisions")
      .select("id")
      .where("accepted_at", "is", null)
      .where("created_at", "<", query.madeBefore)
      .where(isUnused(revisionId, query.now))
      .orderBy("created_at")
      .limit(query.limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  async listUnswept({
    sweptBefore,
    limit,
  }: {
    sweptBefore: number;
    limit: number;
  }): Promise<readonly string[]> {
    const { rows } = await sql<{ id: string }>`
      select workspaces.id from workspaces left join workspace_sweeps on workspace_id = workspaces.id
      where coalesce(swept_at, workspaces.created_at) < ${sweptBefore} and state = 'ready'
      order by coalesce(swept_at, workspaces.created_at) limit ${limit}
    `.execute(this.#db);
    return rows.map(({ id }) => id);
  }

  async insertPin(pin: Pin): Promise<void> {
    await this.#db.insertInto("retention_pins").values(pinRow.write(pin)).execute();
  }

  async deletePin(id: string): Promise<Pin | null> {
    const row = await this.#db
      .deleteFrom("retention_pins")
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : pinRow.read(row);
  }

  async purgeTrash({ deletedBefore, limit }: { deletedBefore: number; limit: number }): Promise<number> {
    const { numAffectedRows } = await sql`
      delete from copy_trash where handle in
      (select handle from copy_trash where deleted_at < ${deletedBefore} order by deleted_at limit ${limit})
    `.execute(this.#db);
    return Number(numAffectedRows ?? 0);
  }

  async claimSweep(claim: { workspaceId: string; sweptBefore: number; now: number }): Promise<boolean> {
    const rows = await this.#db
      .insertInto("workspace_sweeps")
      .values(sweepRow.write({ workspaceId: claim.workspaceId, sweptAt: claim.now }))
      .onConflict((conflict) =>
        conflict
          .column("workspace_id")
          .doUpdateSet({ swept_at: claim.now })
          .where("workspace_sweeps.swept_at", "<", claim.sweptBefore),
      )
      .returning("workspace_id")
      .execute();
    return rows.length === 1;
  }
}

function toCleanupItem({ kind, id, at, copy_id: copyId, path }: CleanupRow): CleanupItem & CleanupPlace {
  const place = { id, at: Number(at) };
  if (kind === "revision" || copyId === null || path === null) {
    return { kind: "revision", revisionId: id, ...place };
  }
  return { kind: "trash", copyId, handle: id, path, ...place };
}
