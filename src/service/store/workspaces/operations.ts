// Operations of workspaces in SQL.

import type { Kysely, Selectable } from "kysely";
import * as z from "zod/mini";
import type { OperationStore } from "../../core/ports/store/workspaces/operations.ts";
import {
  type Operation,
  operationKinds,
  operationStatuses,
} from "../../core/workspaces/operations/operation.ts";
import { oneOf, parseConfig } from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";
import type { OperationsTable } from "../workspace-tables.ts";

const errorSchema = z.object({ code: z.string(), error: z.string() });

export class SqlOperations implements OperationStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<Operation | null> {
    const row = await this.#db.selectFrom("operations").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toOperation(row);
  }

  async insert(operation: Operation): Promise<void> {
    await this.#db.insertInto("operations").values(toRow(operation)).execute();
  }
}

export function toOperation(row: Selectable<OperationsTable>): Operation {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    accountId: row.account_id,
    kind: oneOf(operationKinds, row.kind, "operations.kind"),
    status: oneOf(operationStatuses, row.status, "operations.status"),
    input: parseConfig(row.input),
    progress: parseConfig(row.progress),
    result: parseConfig(row.result),
    error: row.error === null ? null : errorSchema.parse(JSON.parse(row.error)),
    fence: row.fence,
    leaseUntil: row.lease_until,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    keptUntil: row.kept_until,
  };
}

function toRow(operation: Operation) {
  return {
    id: operation.id,
    workspace_id: operation.workspaceId,
    account_id: operation.accountId,
    kind: operation.kind,
    status: operation.status,
    input: JSON.stringify(operation.input),
    progress: JSON.stringify(operation.progress),
    result: JSON.stringify(operation.result),
    error: operation.error === null ? null : JSON.stringify(operation.error),
    fence: operation.fence,
    lease_until: operation.leaseUntil,
    created_at: operation.createdAt,
    ended_at: operation.endedAt,
    kept_until: operation.keptUntil,
  };
}
