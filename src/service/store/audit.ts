// The audit trail in SQL.

import type { Kysely } from "kysely";
import { type AuditEntry, auditActions } from "../core/audit/audit-entry.ts";
import type { AuditQuery, AuditStore } from "../core/audit/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, optional, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const auditRow = row<AuditEntry>("audit_entries")({
  id: text,
  at: integer,
  requestId: text,
  action: oneOf(auditActions),
  outcome: text,
  issuer: nullable(text),
  repositoryId: nullable(text),
  repositoryName: nullable(text),
  ciRunId: nullable(text),
  accountId: optional(text),
  method: optional(text),
  personId: nullable(text),
  clientId: nullable(text),
  aboutPersonId: optional(text),
});

declare module "./tables.ts" {
  interface Database {
    audit_entries: TableOf<typeof auditRow>;
  }
}

export class SqlAudit implements AuditStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async list(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const { accountId, action, repositoryName, before, limit } = query;
    let rows = this.#db.selectFrom("audit_entries").selectAll().orderBy("id", "desc").limit(limit);
    if (accountId !== null) rows = rows.where("account_id", "=", accountId);
    if (action !== null) rows = rows.where("action", "=", action);
    if (repositoryName !== null) rows = rows.where("repository_name", "=", repositoryName);
    if (before !== null) rows = rows.where("id", "<", before);
    return (await rows.execute()).map(auditRow.read);
  }

  async insert(entry: AuditEntry): Promise<void> {
    await this.#db.insertInto("audit_entries").values(auditRow.write(entry)).execute();
  }
}
