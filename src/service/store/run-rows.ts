// Rows of `runs` to records and back. Pure.

import type { Selectable } from "kysely";
import { runCauses, runOrigins, runStatuses } from "../../contract/runs/run.ts";
import type { RunChange } from "../core/ports/store.ts";
import type { RunRecord } from "../core/records.ts";
import { oneOf, parseUsage } from "./columns.ts";
import type { RunsTable } from "./tables.ts";

/** A row as the record that it stands for. */
export function toRun(row: Selectable<RunsTable>): RunRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    threadId: row.thread_id,
    status: oneOf(runStatuses, row.status, "runs.status"),
    origin: oneOf(runOrigins, row.origin, "runs.origin"),
    parentRunId: row.parent_run_id,
    billingAccount: row.payer,
    holdMicroUsd: row.hold_micro_usd,
    submittedAt: row.submitted_at,
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    endedAt: row.ended_at,
    cause: row.cause === null ? null : oneOf(runCauses, row.cause, "runs.cause"),
    retryable: row.retryable === 1,
    stopReason: row.stop_reason,
    usage: row.usage === null ? null : parseUsage(row.usage),
    grossMicroUsd: row.gross_micro_usd,
    refundedMicroUsd: row.refunded_micro_usd,
    refundReason: row.refund_reason,
    lastSeq: row.last_seq,
    fence: row.fence,
    ...(row.content === "kept" ? {} : { hasExpired: true }),
  };
}

/** A new run's columns but those that the store fills in. */
export function toRow(run: RunRecord): Omit<RunsTable, "thread_seq" | "content"> {
  return {
    id: run.id,
    agent_id: run.agentId,
    thread_id: run.threadId,
    origin: run.origin,
    parent_run_id: run.parentRunId,
    payer: run.billingAccount,
    submitted_at: run.submittedAt,
    heartbeat_at: run.heartbeatAt,
    last_seq: run.lastSeq,
    ...toMutableColumns(run),
  };
}

type MutableColumns = {
  [Column in
    | "status"
    | "started_at"
    | "ended_at"
    | "cause"
    | "retryable"
    | "stop_reason"
    | "hold_micro_usd"
    | "usage"
    | "gross_micro_usd"
    | "refunded_micro_usd"
    | "refund_reason"
    | "fence"]: RunsTable[Column];
};

function toMutableColumns(run: Required<RunChange>): MutableColumns {
  return {
    status: run.status,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    cause: run.cause,
    retryable: run.retryable ? 1 : 0,
    stop_reason: run.stopReason,
    hold_micro_usd: run.holdMicroUsd,
    usage: run.usage === null ? null : JSON.stringify(run.usage),
    gross_micro_usd: run.grossMicroUsd,
    refunded_micro_usd: run.refundedMicroUsd,
    refund_reason: run.refundReason,
    fence: run.fence,
  };
}

/** The columns that a change touches. */
export function toColumns(change: RunChange): Partial<MutableColumns> {
  return {
    ...(change.status === undefined ? {} : { status: change.status }),
    ...(change.startedAt === undefined ? {} : { started_at: change.startedAt }),
    ...(change.endedAt === undefined ? {} : { ended_at: change.endedAt }),
    ...(change.cause === undefined ? {} : { cause: change.cause }),
    ...(change.retryable === undefined ? {} : { retryable: change.retryable ? 1 : 0 }),
    ...(change.stopReason === undefined ? {} : { stop_reason: change.stopReason }),
    ...(change.holdMicroUsd === undefined ? {} : { hold_micro_usd: change.holdMicroUsd }),
    ...(change.usage === undefined
      ? {}
      : { usage: change.usage === null ? null : JSON.stringify(change.usage) }),
    ...(change.grossMicroUsd === undefined ? {} : { gross_micro_usd: change.grossMicroUsd }),
    ...(change.refundedMicroUsd === undefined ? {} : { refunded_micro_usd: change.refundedMicroUsd }),
    ...(change.refundReason === undefined ? {} : { refund_reason: change.refundReason }),
    ...(change.fence === undefined ? {} : { fence: change.fence }),
  };
}
