// Changesets of workspaces in SQL.

import type { Kysely, Selectable } from "kysely";
import * as z from "zod/mini";
import { evidenceSchema } from "../../../contract/workspaces/changesets/evidence.ts";
import { changesetStatuses, conflictKinds } from "../../../contract/workspaces/changesets/states.ts";
import type { MergeConflict } from "../../core/ports/git-scratch.ts";
import type {
  ChangesetPage,
  ChangesetStore,
  ChangesetUpdate,
} from "../../core/ports/store/workspaces/changesets.ts";
import type { Changeset } from "../../core/workspaces/changesets/changeset.ts";
import { oneOf } from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";
import type { ChangesetsTable } from "../workspace-tables.ts";
import { parseActor } from "./actor.ts";

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

export class SqlChangesets implements ChangesetStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<Changeset | null> {
    const row = await this.#db.selectFrom("changesets").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toChangeset(row);
  }

  async list({ workspaceId, status, before, limit }: ChangesetPage): Promise<readonly Changeset[]> {
    let rows = this.#db.selectFrom("changesets").selectAll().where("workspace_id", "=", workspaceId);
    if (status !== null) rows = rows.where("status", "=", status);
    if (before !== null) rows = rows.where("id", "<", before);
    return (await rows.orderBy("id", "desc").limit(limit).execute()).map(toChangeset);
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
    await this.#db
      .insertInto("changesets")
      .values({
        id: changeset.id,
        workspace_id: changeset.workspaceId,
        title: changeset.title,
        summary: changeset.summary,
        copy_id: changeset.copyId,
        revision_id: changeset.revisionId,
        base_revision_id: changeset.baseRevisionId,
        files: changeset.files,
        additions: changeset.additions,
        deletions: changeset.deletions,
        task_group_id: changeset.taskGroupId,
        created_by: JSON.stringify(changeset.createdBy),
        created_at: changeset.createdAt,
        ...toColumns(changeset),
      })
      .execute();
  }

  async lock(id: string): Promise<Changeset | null> {
    const query = this.#db.selectFrom("changesets").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : toChangeset(row);
  }

  async update(id: string, update: ChangesetUpdate): Promise<void> {
    await this.#db.updateTable("changesets").set(toColumns(update)).where("id", "=", id).execute();
  }
}

function toChangeset(row: Selectable<ChangesetsTable>): Changeset {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    status: oneOf(changesetStatuses, row.status, "changesets.status"),
    title: row.title,
    summary: row.summary,
    copyId: row.copy_id,
    revisionId: row.revision_id,
    baseRevisionId: row.base_revision_id,
    targetRevisionId: row.target_revision_id,
    files: row.files,
    additions: row.additions,
    deletions: row.deletions,
    conflicts: conflictsSchema.parse(JSON.parse(row.conflicts)),
    evidence: row.evidence === null ? null : evidenceSchema.parse(JSON.parse(row.evidence)),
    rejectReason: row.reject_reason,
    acceptedRevisionId: row.accepted_revision_id,
    taskGroupId: row.task_group_id,
    createdBy: parseActor(row.created_by),
    createdAt: row.created_at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by === null ? null : parseActor(row.decided_by),
  };
}

function toColumns(update: ChangesetUpdate) {
  return {
    status: update.status,
    target_revision_id: update.targetRevisionId,
    conflicts: JSON.stringify(update.conflicts),
    evidence: update.evidence === null ? null : JSON.stringify(update.evidence),
    reject_reason: update.rejectReason,
    accepted_revision_id: update.acceptedRevisionId,
    decided_at: update.decidedAt,
    decided_by: update.decidedBy === null ? null : JSON.stringify(update.decidedBy),
  };
}
