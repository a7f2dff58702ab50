// Rows of `runs` to records and back. Pure.

import { type Selectable, sql } from "kysely";
import { modelBillings, runCauses, runOrigins, runStatuses } from "../../contract/runs/run.ts";
import type { RunUpdate } from "../core/ports/store/runs.ts";
import type { RunOutcome, RunRecord } from "../core/runs/run-record.ts";
import { oneOf, parseRunPrice, parseShownCommit, parseUsage } from "./columns.ts";
import { namesOf } from "./kept-query.ts";
import type { RunsTable } from "./tables.ts";

/** The condition of the indexes on runs that have not ended. A query uses one only where it repeats the condition. */
export const isUnfinished = sql<boolean>`runs.status in ('queued', 'running', 'cancelling')`;

/** A row as a record. `payer` and `thread_id` are older names of the billing account and the session. */
export function toRun(row: Selectable<RunsTable>): RunRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    sessionId: row.thread_id,
    status: oneOf(runStatuses, row.status, "runs.status"),
    origin: oneOf(runOrigins, row.origin, "runs.origin"),
    parentRunId: row.parent_run_id,
    billingAccount: row.payer,
    price: row.price === null ? null : parseRunPrice(row.price),
    modelBilling:
      row.model_billing === null ? null : oneOf(modelBillings, row.model_billing, "runs.model_billing"),
    holdMicroUsd: row.hold_micro_usd,
    submittedAt: row.submitted_at,
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    endedAt: row.ended_at,
    cause: row.cause === null ? null : oneOf(runCauses, row.cause, "runs.cause"),
    retryable: row.retryable === 1,
    stopReason: row.stop_reason,
    usage: row.usage === null ? null : parseUsage(row.usage),
    // Earlier versions could store fractions on SQLite.
    grossMicroUsd: Math.round(row.gross_micro_usd),
    refundedMicroUsd: Math.round(row.refunded_micro_usd),
    refundReason: row.refund_reason,
    refundWithheldReason: row.refund_withheld_reason,
    lastSeq: row.last_seq,
    fence: row.fence,
    ...(row.content === "kept" ? {} : { hasExpired: true }),
    ...(row.works_on === null ? {} : { commit: parseShownCommit(row.works_on) }),
  };
}

/** A new run's columns except those that the store fills in. */
export function toRow(run: RunRecord): Omit<RunsTable, "thread_seq" | "content"> {
  return {
    id: run.id,
    agent_id: run.agentId,
    thread_id: run.sessionId,
    origin: run.origin,
    parent_run_id: run.parentRunId,
    payer: run.billingAccount,
    price: run.price === null ? null : JSON.stringify(run.price),
    model_billing: run.modelBilling,
    hold_micro_usd: run.holdMicroUsd,
    submitted_at: run.submittedAt,
    started_at: run.startedAt,
    heartbeat_at: run.heartbeatAt,
    ...toOutcomeColumns(run),
    last_seq: run.lastSeq,
    fence: run.fence,
    works_on: run.commit === undefined ? null : JSON.stringify(run.commit),
  };
}

/** Every column of a run. */
export const runColumns = namesOf<RunsTable>({
  id: true,
  agent_id: true,
  thread_id: true,
  status: true,
  origin: true,
  parent_run_id: true,
  payer: true,
  hold_micro_usd: true,
  submitted_at: true,
  started_at: true,
  heartbeat_at: true,
  ended_at: true,
  cause: true,
  retryable: true,
  stop_reason: true,
  usage: true,
  gross_micro_usd: true,
  refunded_micro_usd: true,
  refund_reason: true,
  refund_withheld_reason: true,
  price: true,
  model_billing: true,
  last_seq: true,
  fence: true,
  thread_seq: true,
  content: true,
  works_on: true,
});

/** The columns that change before a run's end. */
export function toUpdateColumns({ status, cause, holdMicroUsd, fence }: RunUpdate) {
  return {
    ...(status === undefined ? {} : { status }),
    ...(cause === undefined ? {} : { cause }),
    ...(holdMicroUsd === undefined ? {} : { hold_micro_usd: holdMicroUsd }),
    ...(fence === undefined ? {} : { fence }),
  };
}

export const outcomeColumns = namesOf<ReturnType<typeof toOutcomeColumns>>({
  status: true,
  ended_at: true,
  cause: true,
  retryable: true,
  stop_reason: true,
  usage: true,
  gross_micro_usd: true,
  refunded_micro_usd: true,
  refund_reason: true,
  refund_withheld_reason: true,
});

/** The columns that are written when a run ends, and with it when it begins. */
export function toOutcomeColumns(outcome: Pick<RunRecord, keyof RunOutcome>) {
  return {
    status: outcome.status,
    ended_at: outcome.endedAt,
    cause: outcome.cause,
    retryable: outcome.retryable ? 1 : 0,
    stop_reason: outcome.stopReason,
    usage: outcome.usage === null ? null : JSON.stringify(outcome.usage),
    gross_micro_usd: outcome.grossMicroUsd,
    refunded_micro_usd: outcome.refundedMicroUsd,
    refund_reason: outcome.refundReason,
    refund_withheld_reason: outcome.refundWithheldReason,
  };
}
