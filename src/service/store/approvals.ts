// Approvals in SQL. One of a subject is pending, and only one of two decisions ends it.

import { type Kysely, sql } from "kysely";
import * as z from "zod/mini";
import { approvalStatuses } from "../../contract/approvals/approval.ts";
import { evidenceSchema } from "../../contract/workspaces/changesets/changeset.ts";
import type {
  ApprovalAction,
  ApprovalEnd,
  ApprovalRecord,
  ApprovalRequester,
} from "../core/approvals/approval.ts";
import type { ApprovalQuery, ApprovalStore } from "../core/approvals/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, json, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

const deciders = ["owner", "ai_client", "service"] as const;
const workflow = { workflowId: z.string(), name: z.string(), version: z.int(), prompt: z.string() };
const actionSchema: z.ZodMiniType<ApprovalAction> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("confirm_schedule"),
    scheduleId: z.string(),
    prompt: z.string(),
    fireAt: z.number(),
  }),
  z.object({ kind: z.literal("activate_workflow"), ...workflow }),
  z.object({ kind: z.literal("run_workflow"), ...workflow, input: z.nullable(z.string()) }),
  z.object({
    kind: z.literal("grant_writes"),
    server: z.string(),
    tool: z.string(),
    runId: z.string(),
    args: z.optional(z.string()),
  }),
  z.object({
    kind: z.literal("accept_changeset"),
    workspaceId: z.string(),
    changesetId: z.string(),
    revisionId: z.string(),
    expectedRevisionId: z.string(),
    resolvedRevisionId: z.nullable(z.string()),
    title: z.string(),
    files: z.int(),
    additions: z.nullable(z.int()),
    deletions: z.nullable(z.int()),
    evidence: evidenceSchema,
  }),
]);
const requesterSchema: z.ZodMiniType<ApprovalRequester> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("ai_client"),
    name: z.nullable(z.string()),
    personId: z.optional(z.string()),
  }),
  z.object({ type: z.literal("run"), runId: z.string() }),
]);
/** The condition of the index `approvals_pending`. A query uses the index only where it repeats the condition. */
const isPending = sql<boolean>`status = 'pending'`;

/** `subject` is the same for two requests of the same; one of a subject is pending. */
export const approvalRow = row<ApprovalRecord>("approvals")({
  id: text,
  accountId: text,
  agentId: text,
  subject: text,
  status: oneOf(approvalStatuses),
  action: json((stored) => actionSchema.parse(JSON.parse(stored))),
  requestedBy: json((stored) => requesterSchema.parse(JSON.parse(stored))),
  createdAt: integer,
  expiresAt: integer,
  keptUntil: integer,
  decidedAt: nullable(integer),
  decidedBy: nullable(oneOf(deciders)),
  runId: nullable(text),
});

declare module "./tables.ts" {
  interface Database {
    approvals: TableOf<typeof approvalRow>;
  }
}

export class SqlApprovals implements ApprovalStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<ApprovalRecord | null> {
    const row = await this.#db.selectFrom("approvals").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : approvalRow.read(row);
  }

  async list(query: ApprovalQuery): Promise<readonly ApprovalRecord[]> {
    const { accountId, agentId, status, now, before, limit } = query;
    let rows = this.#db.selectFrom("approvals").selectAll().where("account_id", "=", accountId);
    if (agentId !== null) rows = rows.where("agent_id", "=", agentId);
    if (before !== null) rows = rows.where("id", "<", before);
    if (status === "pending") rows = rows.where(isPending).where("expires_at", ">=", now);
    else if (status === "expired")
      rows = rows.where(sql<boolean>`(status = 'expired' or (status = 'pending' and expires_at < ${now}))`);
    else if (status !== null) rows = rows.where("status", "=", status);
    return (await rows.orderBy("id", "desc").limit(limit).execute()).map(approvalRow.read);
  }

  async findLatest({
    agentId,
    subject,
  }: {
    agentId: string;
    subject: string;
  }): Promise<ApprovalRecord | null> {
    const row = await this.#db
      .selectFrom("approvals")
      .selectAll()
      .where("agent_id", "=", agentId)
      .where("subject", "=", subject)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : approvalRow.read(row);
  }

  async countPending({ agentId, now }: { agentId: string; now: number }): Promise<number> {
    const row = await this.#db
      .selectFrom("approvals")
      .select(({ fn }) => fn.countAll<number | string>().as("count"))
      .where("agent_id", "=", agentId)
      .where(isPending)
      .where("expires_at", ">=", now)
      .where("subject", "not like", "schedule:%")
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }

  async listPendingOf(agentId: string): Promise<readonly ApprovalRecord[]> {
    const rows = await this.#db
      .selectFrom("approvals")
      .selectAll()
      .where("agent_id", "=", agentId)
      .where(isPending)
      .orderBy("id")
      .execute();
    return rows.map(approvalRow.read);
  }

  async insert(approval: ApprovalRecord): Promise<void> {
    await this.#db.insertInto("approvals").values(approvalRow.write(approval)).execute();
  }

  async end(id: string, end: ApprovalEnd): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("approvals")
      .set(approvalRow.change(end))
      .where("id", "=", id)
      .where(isPending)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async endPending({
    agentId,
    subject,
    end,
  }: {
    agentId: string;
    subject: string | null;
    end: ApprovalEnd;
  }): Promise<void> {
    const pending = this.#db
      .updateTable("approvals")
      .set(approvalRow.change(end))
      .where("agent_id", "=", agentId)
      .where(isPending);
    await (subject === null ? pending : pending.where("subject", "=", subject)).execute();
  }
}
