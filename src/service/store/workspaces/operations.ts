// Operations of workspaces in SQL.

import { type ExpressionBuilder, type Kysely, type Selectable, sql } from "kysely";
import * as z from "zod/mini";
import { operationKinds } from "../../../contract/workspaces/operations/operation-kinds.ts";
import type { OperationHold, OperationStore } from "../../core/ports/store/workspaces/operations.ts";
import {
  LONGEST_DELAY_MS,
  OPERATION_LEASE_MS,
  type Operation,
  type OperationEnd,
  type OperationKind,
  type OperationProgress,
  type OperationResult,
  operationStatuses,
} from "../../core/workspaces/operations/operation.ts";
import { oneOf, parseConfig } from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";
import type { OperationsTable } from "../workspace-tables.ts";

const progressSchema = z.record(z.string(), z.union([z.string(), z.number()]));
const resultSchema = z.object({
  revision_id: z.optional(z.string()),
  unchanged: z.optional(z.boolean()),
  working_copy_id: z.optional(z.string()),
});
const errorSchema = z.object({ code: z.string(), error: z.string() });
const isOpen = sql<boolean>`status in ('queued', 'running')`;

/** Nobody works at it. A lease that ends later than any could was written before the store's time was set back. */
function hasExpired(now: number) {
  return ({ eb, or }: ExpressionBuilder<Database, "operations">) =>
    or([eb("lease_until", "<=", now), eb("lease_until", ">", now + LONGEST_DELAY_MS)]);
}

export class SqlOperations implements OperationStore {
  readonly #db: Kysely<Database>;

  readonly #leaseNow: () => Promise<number>;

  constructor({ db, leaseNow }: Connection) {
    this.#db = db;
    this.#leaseNow = leaseNow;
  }

  async find(id: string): Promise<Operation | null> {
    const row = await this.#db.selectFrom("operations").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toOperation(row);
  }

  async listDue({ limit }: { limit: number }): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("operations")
      .select("id")
      .where(isOpen)
      .where(hasExpired(await this.#leaseNow()))
      .orderBy("lease_until")
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  async listOpen(query: { workspaceId: string; kind: OperationKind }): Promise<readonly Operation[]> {
    const rows = await this.#db
      .selectFrom("operations")
      .selectAll()
      .where("workspace_id", "=", query.workspaceId)
      .where("kind", "=", query.kind)
      .where(isOpen)
      .orderBy("id")
      .execute();
    return rows.map(toOperation);
  }

  async insert(operation: Operation): Promise<void> {
    const leaseUntil = (await this.#leaseNow()) + OPERATION_LEASE_MS;
    await this.#db.insertInto("operations").values(toRow(operation, leaseUntil)).execute();
  }

  async takeUp(id: string): Promise<Operation | null> {
    const now = await this.#leaseNow();
    const row = await this.#db
      .updateTable("operations")
      .set(({ eb }) => ({
        status: "running",
        fence: eb("fence", "+", 1),
        lease_until: now + OPERATION_LEASE_MS,
      }))
      .where("id", "=", id)
      .where(isOpen)
      .where(hasExpired(now))
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toOperation(row);
  }

  async releaseAll(): Promise<number> {
    const now = await this.#leaseNow();
    const { numUpdatedRows } = await this.#db
      .updateTable("operations")
      .set({ lease_until: now })
      .where(isOpen)
      .where("lease_until", ">", now)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  async beat(
    beat: OperationHold & { leaseMs: number; progress: OperationProgress; faults: number },
  ): Promise<boolean> {
    const lease_until = (await this.#leaseNow()) + beat.leaseMs;
    const { faults } = beat;
    const progress = JSON.stringify(beat.progress);
    return await this.#update(beat, { status: "running", lease_until, progress, faults });
  }

  async end(given: OperationHold & { end: OperationEnd; now: number; keptUntil: number }): Promise<boolean> {
    const { end, now, keptUntil } = given;
    return await this.#update(given, {
      status: end.status,
      result: end.status === "succeeded" ? resultColumn(end.result) : "{}",
      error: end.status === "failed" ? JSON.stringify(end.error) : null,
      ended_at: now,
      kept_until: keptUntil,
    });
  }

  async #update({ id, fence }: OperationHold, values: Partial<OperationsTable>): Promise<boolean> {
    const rows = await this.#db
      .updateTable("operations")
      .set(values)
      .where("id", "=", id)
      .where("fence", "=", fence)
      .where(isOpen)
      .returning("id")
      .execute();
    return rows.length === 1;
  }
}

function toOperation(row: Selectable<OperationsTable>): Operation {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    accountId: row.account_id,
    kind: oneOf(operationKinds, row.kind, "operations.kind"),
    status: oneOf(operationStatuses, row.status, "operations.status"),
    input: parseConfig(row.input),
    progress: progressSchema.parse(JSON.parse(row.progress)),
    result: toResult(row.result),
    error: row.error === null ? null : errorSchema.parse(JSON.parse(row.error)),
    fence: row.fence,
    faults: row.faults,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    keptUntil: row.kept_until,
  };
}

function toResult(json: string): OperationResult {
  const {
    revision_id: revisionId,
    unchanged,
    working_copy_id: copyId,
  } = resultSchema.parse(JSON.parse(json));
  return {
    ...(revisionId === undefined ? {} : { revisionId }),
    ...(unchanged === undefined ? {} : { isUnchanged: unchanged }),
    ...(copyId === undefined ? {} : { copyId }),
  };
}

function resultColumn({ revisionId, isUnchanged, copyId }: OperationResult): string {
  return JSON.stringify({ revision_id: revisionId, unchanged: isUnchanged, working_copy_id: copyId });
}

function toRow(operation: Operation, leaseUntil: number) {
  return {
    id: operation.id,
    workspace_id: operation.workspaceId,
    account_id: operation.accountId,
    kind: operation.kind,
    status: operation.status,
    input: JSON.stringify(operation.input),
    progress: JSON.stringify(operation.progress),
    result: resultColumn(operation.result),
    error: operation.error === null ? null : JSON.stringify(operation.error),
    fence: operation.fence,
    faults: operation.faults,
    lease_until: leaseUntil,
    created_at: operation.createdAt,
    ended_at: operation.endedAt,
    kept_until: operation.keptUntil,
  };
}
