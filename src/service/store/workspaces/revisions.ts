// Revisions of workspaces in SQL.

import { type Kysely, sql } from "kysely";
import type { RevisionUse } from "../../core/workspaces/revisions/refusals.ts";
import type { Revision } from "../../core/workspaces/revisions/revision.ts";
import type { RevisionPage, RevisionStore } from "../../core/workspaces/revisions/store-port.ts";
import { parseNames } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, json, nullable, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";
import { actor } from "./actor.ts";
import { usesOf } from "./revision-use.ts";

export const revisionRow = row<Revision>("revisions")({
  id: text,
  workspaceId: text,
  commitOid: text,
  treeOid: text,
  parentIds: json(parseNames),
  message: text,
  author: actor,
  files: integer,
  bytes: integer,
  createdAt: integer,
  acceptedAt: nullable(integer),
});

declare module "../tables.ts" {
  interface Database {
    revisions: TableOf<typeof revisionRow>;
  }
}

/** Databases bind a bounded number of values. */
const IDS_A_STATEMENT = 500;

export class SqlRevisions implements RevisionStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<Revision | null> {
    const row = await this.#db.selectFrom("revisions").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : revisionRow.read(row);
  }

  async findAll(ids: readonly string[]): Promise<readonly Revision[]> {
    const found: Revision[] = [];
    for (let at = 0; at < ids.length; at += IDS_A_STATEMENT) {
      const part = ids.slice(at, at + IDS_A_STATEMENT);
      const rows = await this.#db.selectFrom("revisions").selectAll().where("id", "in", part).execute();
      found.push(...rows.map(revisionRow.read));
    }
    return found;
  }

  async findByCommits(query: {
    workspaceId: string;
    commitOids: readonly string[];
  }): Promise<readonly Revision[]> {
    const { workspaceId, commitOids } = query;
    const found: Revision[] = [];
    for (let at = 0; at < commitOids.length; at += IDS_A_STATEMENT) {
      const rows = await this.#db
        .selectFrom("revisions")
        .selectAll()
        .where("workspace_id", "=", workspaceId)
        .where("commit_oid", "in", commitOids.slice(at, at + IDS_A_STATEMENT))
        .execute();
      found.push(...rows.map(revisionRow.read));
    }
    return found;
  }

  async list({ workspaceId, isAccepted, before, limit }: RevisionPage): Promise<readonly Revision[]> {
    let query = this.#db.selectFrom("revisions").selectAll().where("workspace_id", "=", workspaceId);
    if (isAccepted !== null) query = query.where("accepted_at", isAccepted ? "is not" : "is", null);
    if (before !== null) query = query.where("id", "<", before);
    return (await query.orderBy("id", "desc").limit(limit).execute()).map(revisionRow.read);
  }

  async findPinned({ ids, now }: { ids: readonly string[]; now: number }): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#db
      .selectFrom("retention_pins")
      .select("revision_id")
      .where("revision_id", "in", ids)
      .where(({ eb, or }) => or([eb("until", "is", null), eb("until", ">", now)]))
      .execute();
    return new Set(rows.map(({ revision_id: id }) => id));
  }

  async share(id: string): Promise<Revision | null> {
    const query = this.#db.selectFrom("revisions").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forShare() : query).executeTakeFirst();
    return row === undefined ? null : revisionRow.read(row);
  }

  async lock(id: string): Promise<Revision | null> {
    const query = this.#db.selectFrom("revisions").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : revisionRow.read(row);
  }

  async findUse({ id, now }: { id: string; now: number }): Promise<RevisionUse | null> {
    for (const { use, rows } of usesOf(sql`${id}`, now)) {
      const found = await sql`${rows} limit 1`.execute(this.#db);
      if (found.rows.length > 0) return use;
    }
    return null;
  }

  async delete({ id, workspaceId, parentIds }: Revision): Promise<void> {
    const children = await this.#db
      .selectFrom("revisions")
      .select(["id", "parent_ids"])
      .where("workspace_id", "=", workspaceId)
      .where("parent_ids", "like", `%"${id}"%`)
      .orderBy("id")
      .execute();
    for (const child of children) {
      const ids = revisionRow.readField("parentIds", child.parent_ids);
      const spliced = [...new Set(ids.flatMap((parent) => (parent === id ? parentIds : [parent])))];
      await this.#db
        .updateTable("revisions")
        .set(revisionRow.change({ parentIds: spliced }))
        .where("id", "=", child.id)
        .execute();
    }
    await this.#db.deleteFrom("revisions").where("id", "=", id).execute();
  }

  async insert(revision: Revision): Promise<void> {
    await this.#db.insertInto("revisions").values(revisionRow.write(revision)).execute();
  }
}
