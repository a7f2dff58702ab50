// The audit trail in SQL.

import type { Kysely, Selectable } from "kysely";
import { type AuditEntry, auditActions } from "../core/audit/audit-entry.ts";
import type { AuditQuery, AuditStore } from "../core/ports/store/audit.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { AuditEntriesTable, Database } from "./tables.ts";

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
    return (await rows.execute()).map(toEntry);
  }

  async insert(entry: AuditEntry): Promise<void> {
    await this.#db
      .insertInto("audit_entries")
      .values({
        id: entry.id,
        at: entry.at,
        request_id: entry.requestId,
        action: entry.action,
        outcome: entry.outcome,
        issuer: entry.issuer,
        repository_id: entry.repositoryId,
        repository_name: entry.repositoryName,
        ci_run_id: entry.ciRunId,
        account_id: entry.accountId ?? null,
        method: entry.method ?? null,
      })
      .execute();
  }
}

function toEntry(row: Selectable<AuditEntriesTable>): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    requestId: row.request_id,
    action: oneOf(auditActions, row.action, "audit_entries.action"),
    outcome: row.outcome,
    issuer: row.issuer,
    repositoryId: row.repository_id,
    repositoryName: row.repository_name,
    ciRunId: row.ci_run_id,
    ...(row.account_id === null ? {} : { accountId: row.account_id }),
    ...(row.method === null ? {} : { method: row.method }),
  };
}
