// The audit trail in SQL.

import { type Kysely, sql } from "kysely";
import { type AuditEntry, auditActions, refusableActions } from "../core/audit/audit-entry.ts";
import type { AuditQuery, AuditStore, RefusalCount } from "../core/audit/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, optional, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

const DAY_MS = 86_400_000;

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
  operatorId: optional(text),
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
    const { accountId, action, repositoryName, outcome = null, before, limit } = query;
    let rows = this.#db.selectFrom("audit_entries").selectAll().orderBy("id", "desc").limit(limit);
    if (accountId !== null) rows = rows.where("account_id", "=", accountId);
    if (action !== null) rows = rows.where("action", "=", action);
    if (repositoryName !== null) rows = rows.where("repository_name", "=", repositoryName);
    if (outcome !== null) rows = rows.where("outcome", "=", outcome);
    if (before !== null) rows = rows.where("id", "<", before);
    return (await rows.execute()).map(auditRow.read);
  }

  async countRefusals({ since }: { since: number }): Promise<readonly RefusalCount[]> {
    const rows = await this.#db
      .selectFrom("audit_entries")
      .select((select) => [
        sql<number>`at / ${sql.lit(DAY_MS)}`.as("day"),
        "action",
        "outcome",
        select.fn.countAll<number>().as("count"),
      ])
      .where("at", ">=", since)
      .where("action", "in", refusableActions)
      .where("outcome", "<>", "ok")
      .groupBy(["day", "action", "outcome"])
      .orderBy("day", "desc")
      .orderBy("count", "desc")
      .orderBy("action")
      .orderBy("outcome")
      .execute();
    return rows.map(({ day, action, outcome, count }) => ({
      day: Number(day),
      action: auditRow.readField("action", action),
      outcome,
      count: Number(count),
    }));
  }

  async insert(entry: AuditEntry): Promise<void> {
    await this.#db.insertInto("audit_entries").values(auditRow.write(entry)).execute();
  }
}
