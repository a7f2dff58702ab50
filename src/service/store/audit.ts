// The audit trail in SQL.

import type { Kysely } from "kysely";
import type { AuditEntry } from "../core/audit/audit-entry.ts";
import type { AuditStore } from "../core/ports/store/audit.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./tables.ts";

export class SqlAudit implements AuditStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
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
