// Operations of workspaces in SQL.

import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import * as z from "zod/mini";
import { operationKinds } from "../../../contract/workspaces/operations.ts";
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
import type { OperationHold, OperationStore } from "../../core/workspaces/operations/store-port.ts";
import { parseConfig } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { type Column, integer, json, nullable, oneOf, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

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

/** The fields of a result by the names under which they are stored. */
const storedNames: {
  readonly [Field in keyof Required<OperationResult>]: keyof z.output<typeof resultSchema>;
} = {
  revisionId: "revision_id",
  isUnchanged: "unchanged",
  copyId: "working_copy_id",
};
const storedFields = Object.entries(storedNames) as [
  keyof OperationResult,
  keyof z.output<typeof resultSchema>,
][];

/** Without what a result does not have. */
const result: Column<OperationResult, string> = {
  kind: "text",
  isNullable: false,
  read: toResult,
  write: (written) =>
    JSON.stringify(Object.fromEntries(storedFields.map(([field, name]) => [name, written[field]]))),
};

export const operationRow = row<Operation>("operations")(
  {
    id: text,
    workspaceId: text,
    accountId: text,
    kind: oneOf(operationKinds),
    status: oneOf(operationStatuses),
    input: json(parseConfig),
    progress: json((stored) => progressSchema.parse(JSON.parse(stored))),
    result,
    error: nullable(json((stored) => errorSchema.parse(JSON.parse(stored)))),
    /** Counts those who took it up: only the latest may write. */
    fence: integer,
    faults: integer,
    createdAt: integer,
    endedAt: nullable(integer),
    keptUntil: integer,
  },
  { leaseUntil: integer },
);

type OperationsTable = TableOf<typeof operationRow>;

declare module "../tables.ts" {
  interface Database {
    operations: TableOf<typeof operationRow>;
  }
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
    return row === undefined ? null : operationRow.read(row);
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
    return rows.map(operationRow.read);
  }

  async insert(operation: Operation): Promise<void> {
    const leaseUntil = (await this.#leaseNow()) + OPERATION_LEASE_MS;
    await this.#db.insertInto("operations").values(operationRow.write(operation, { leaseUntil })).execute();
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
    return row === undefined ? null : operationRow.read(row);
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
    const { progress, faults } = beat;
    return await this.#update(beat, {
      ...operationRow.change({ status: "running", progress, faults }),
      lease_until,
    });
  }

  async end(given: OperationHold & { end: OperationEnd; now: number; keptUntil: number }): Promise<boolean> {
    const { end, now, keptUntil } = given;
    const change = operationRow.change({
      status: end.status,
      result: end.status === "succeeded" ? end.result : {},
      error: end.status === "failed" ? end.error : null,
      endedAt: now,
      keptUntil,
    });
    return await this.#update(given, change);
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

function toResult(json: string): OperationResult {
  const stored = resultSchema.parse(JSON.parse(json));
  const fields = storedFields.map(([field, name]) => [field, stored[name]] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
