// Approvals in SQL. One of a subject is pending, and only one of two decisions ends it.

import { type Kysely, type Selectable, sql } from "kysely";
import * as z from "zod/mini";
import { approvalStatuses } from "../../contract/approvals/approval.ts";
import { evidenceSchema } from "../../contract/workspaces/changesets/evidence.ts";
import type {
  ApprovalAction,
  ApprovalEnd,
  ApprovalRecord,
  ApprovalRequester,
} from "../core/approvals/approval.ts";
import type { ApprovalQuery, ApprovalStore } from "../core/ports/store/approvals.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { ApprovalsTable, Database } from "./tables.ts";

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
  z.object({ kind: z.literal("grant_writes"), server: z.string(), tool: z.string(), runId: z.string() }),
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
  z.object({ type: z.literal("ai_client"), name: z.nullable(z.string()) }),
  z.object({ type: z.literal("run"), runId: z.string() }),
]);
/** The condition of the index `approvals_pending`. A query uses the index only where it repeats the condition. */
const isPending = sql<boolean>`status = 'pending'`;

export class SqlApprovals implements ApprovalStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<ApprovalRecord | null> {
    const row = await this.#db.selectFrom("approvals").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toApproval(row);
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
    return (await rows.orderBy("id", "desc").limit(limit).execute()).map(toApproval);
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
    return row === undefined ? null : toApproval(row);
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
    return rows.map(toApproval);
  }

  async insert(approval: ApprovalRecord): Promise<void> {
    await this.#db.insertInto("approvals").values(toRow(approval)).execute();
  }

  async end(id: string, end: ApprovalEnd): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("approvals")
      .set(toColumns(end))
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
      .set(toColumns(end))
      .where("agent_id", "=", agentId)
      .where(isPending);
    await (subject === null ? pending : pending.where("subject", "=", subject)).execute();
  }
}

function toApproval(row: Selectable<ApprovalsTable>): ApprovalRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    agentId: row.agent_id,
    subject: row.subject,
    status: oneOf(approvalStatuses, row.status, "approvals.status"),
    action: actionSchema.parse(JSON.parse(row.action)),
    requestedBy: requesterSchema.parse(JSON.parse(row.requested_by)),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    keptUntil: row.kept_until,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by === null ? null : oneOf(deciders, row.decided_by, "approvals.decided_by"),
    runId: row.run_id,
  };
}

function toRow(approval: ApprovalRecord): ApprovalsTable {
  return {
    id: approval.id,
    account_id: approval.accountId,
    agent_id: approval.agentId,
    subject: approval.subject,
    status: approval.status,
    action: JSON.stringify(approval.action),
    requested_by: JSON.stringify(approval.requestedBy),
    created_at: approval.createdAt,
    expires_at: approval.expiresAt,
    kept_until: approval.keptUntil,
    decided_at: approval.decidedAt,
    decided_by: approval.decidedBy,
    run_id: approval.runId,
  };
}

function toColumns({ status, decidedAt, decidedBy, runId }: ApprovalEnd): Partial<ApprovalsTable> {
  return { status, decided_at: decidedAt, decided_by: decidedBy, run_id: runId };
}
