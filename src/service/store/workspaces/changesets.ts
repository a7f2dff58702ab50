// Changesets of workspaces in SQL.

import type { Kysely } from "kysely";
import * as z from "zod/mini";
import {
  changesetStatuses,
  conflictKinds,
  evidenceSchema,
} from "../../../contract/workspaces/changesets/changeset.ts";
import type { MergeConflict } from "../../core/checkouts/git-scratch.ts";
import type { Changeset } from "../../core/workspaces/changesets/changeset.ts";
import type {
  ChangesetPage,
  ChangesetStore,
  ChangesetUpdate,
} from "../../core/workspaces/changesets/store-port.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, json, nullable, oneOf, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";
import { actor } from "./actor.ts";

const side = z.nullable(z.object({ oid: z.string(), mode: z.string() }));
const conflictsSchema: z.ZodMiniType<readonly MergeConflict[]> = z.array(
  z.object({
    path: z.string(),
    kind: z.enum(conflictKinds),
    base: side,
    ours: side,
    theirs: side,
    relatedPaths: z.array(z.string()),
  }),
);

const update = {
  status: oneOf(changesetStatuses),
  targetRevisionId: text,
  conflicts: json((stored) => conflictsSchema.parse(JSON.parse(stored))),
  evidence: nullable(json((stored) => evidenceSchema.parse(JSON.parse(stored)))),
  rejectReason: nullable(text),
  acceptedRevisionId: nullable(text),
  decidedAt: nullable(integer),
  decidedBy: nullable(actor),
};

const updateRow = row<ChangesetUpdate>("changesets")(update);

export const changesetRow = row<Changeset>("changesets")({
  id: text,
  workspaceId: text,
  title: text,
  summary: text,
  copyId: nullable(text),
  revisionId: text,
  baseRevisionId: text,
  files: integer,
  additions: nullable(integer),
  deletions: nullable(integer),
  taskGroupId: nullable(text),
  createdBy: actor,
  createdAt: integer,
  ...update,
});

declare module "../tables.ts" {
  interface Database {
    changesets: TableOf<typeof changesetRow>;
  }
}

export class SqlChangesets implements ChangesetStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<Changeset | null> {
    const row = await this.#db.selectFrom("changesets").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : changesetRow.read(row);
  }

  async list({ workspaceId, status, before, limit }: ChangesetPage): Promise<readonly Changeset[]> {
    let rows = this.#db.selectFrom("changesets").selectAll().where("workspace_id", "=", workspaceId);
    if (status !== null) rows = rows.where("status", "=", status);
    if (before !== null) rows = rows.where("id", "<", before);
    return (await rows.orderBy("id", "desc").limit(limit).execute()).map(changesetRow.read);
  }

  async taskGroupOf(copyId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("workspace_runs")
      .select("task_group_id")
      .where("copy_id", "=", copyId)
      .orderBy("run_id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row?.task_group_id ?? null;
  }

  async insert(changeset: Changeset): Promise<void> {
    await this.#db.insertInto("changesets").values(changesetRow.write(changeset)).execute();
  }

  async lock(id: string): Promise<Changeset | null> {
    const query = this.#db.selectFrom("changesets").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : changesetRow.read(row);
  }

  async update(id: string, update: ChangesetUpdate): Promise<void> {
    await this.#db.updateTable("changesets").set(updateRow.write(update)).where("id", "=", id).execute();
  }
}
