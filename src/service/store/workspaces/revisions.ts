// Revisions of workspaces in SQL.

import type { Kysely, Selectable } from "kysely";
import * as z from "zod/mini";
import type { RevisionPage, RevisionStore } from "../../core/ports/store/workspaces/revisions.ts";
import type { Revision } from "../../core/workspaces/revisions/revision.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";
import type { RevisionsTable } from "../workspace-tables.ts";
import { parseActor } from "./actor.ts";

const idsSchema = z.array(z.string());

export class SqlRevisions implements RevisionStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<Revision | null> {
    const row = await this.#db.selectFrom("revisions").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toRevision(row);
  }

  async list({ workspaceId, isAccepted, before, limit }: RevisionPage): Promise<readonly Revision[]> {
    let query = this.#db.selectFrom("revisions").selectAll().where("workspace_id", "=", workspaceId);
    if (isAccepted !== null) query = query.where("accepted_at", isAccepted ? "is not" : "is", null);
    if (before !== null) query = query.where("id", "<", before);
    return (await query.orderBy("id", "desc").limit(limit).execute()).map(toRevision);
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
    return row === undefined ? null : toRevision(row);
  }

  async insert(revision: Revision): Promise<void> {
    await this.#db.insertInto("revisions").values(toRow(revision)).execute();
  }
}

export function toRevision(row: Selectable<RevisionsTable>): Revision {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    commitOid: row.commit_oid,
    treeOid: row.tree_oid,
    parentIds: idsSchema.parse(JSON.parse(row.parent_ids)),
    message: row.message,
    author: parseActor(row.author),
    files: row.files,
    bytes: row.bytes,
    createdAt: row.created_at,
    acceptedAt: row.accepted_at,
  };
}

function toRow(revision: Revision) {
  return {
    id: revision.id,
    workspace_id: revision.workspaceId,
    commit_oid: revision.commitOid,
    tree_oid: revision.treeOid,
    parent_ids: JSON.stringify(revision.parentIds),
    message: revision.message,
    author: JSON.stringify(revision.author),
    files: revision.files,
    bytes: revision.bytes,
    created_at: revision.createdAt,
    accepted_at: revision.acceptedAt,
  };
}
