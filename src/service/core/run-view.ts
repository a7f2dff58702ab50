// A stored run as the contract shows it. Throws on a row that its state forbids. Pure.

import type { Run } from "../../contract/run.ts";
import { chargeInCredits } from "./ledger.ts";
import type { RunRecord } from "./records.ts";

export function toRun(run: RunRecord): Run {
  const identity = {
    id: run.id,
    agent_id: run.agentId,
    thread_id: run.threadId,
    origin: run.origin,
    ...(run.parentRunId === null ? {} : { parent_run_id: run.parentRunId }),
  };
  switch (run.status) {
    case "queued":
      return { status: "queued", ...identity, credits: null, tokens: null };
    case "running":
    case "cancelling":
      return { status: run.status, ...identity, credits: null, tokens: null, ...startOf(run) };
    case "completed":
      return {
        status: "completed",
        ...identity,
        ...accountingOf(run),
        ...startOf(run),
        ended_at: iso(run, "endedAt"),
        stop_reason: present(run, "stopReason"),
      };
    case "failed":
      return {
        status: "failed",
        ...identity,
        ...accountingOf(run),
        ...(run.startedAt === null ? {} : startOf(run)),
        ended_at: iso(run, "endedAt"),
        cause: present(run, "cause"),
        retryable: run.retryable,
      };
    case "cancelled":
      return {
        status: "cancelled",
        ...identity,
        ...accountingOf(run),
        ...(run.startedAt === null ? {} : startOf(run)),
        ended_at: iso(run, "endedAt"),
        cause: present(run, "cause"),
      };
  }
}

function startOf(run: RunRecord) {
  return { started_at: iso(run, "startedAt"), last_heartbeat_at: iso(run, "heartbeatAt") };
}

function accountingOf(run: RunRecord) {
  const { grossMicroUsd: gross, refundedMicroUsd: refunded } = run;
  const usage = {
    credits: chargeInCredits(gross),
    tokens: run.tokens ?? 0,
    calls: run.modelCalls ?? 0,
  };
  return {
    credits: chargeInCredits(gross - refunded),
    tokens: run.tokens,
    ...(gross === 0 ? {} : { gross_micro_usd: gross, usage_by_role: { executor: usage } }),
    ...(refunded === 0 ? {} : { refunded_micro_usd: refunded }),
    ...(run.refundReason === null ? {} : { refund_reason: run.refundReason }),
  };
}

function iso(run: RunRecord, field: "startedAt" | "heartbeatAt" | "endedAt"): string {
  return new Date(present(run, field)).toISOString();
}

function present<Field extends keyof RunRecord>(run: RunRecord, field: Field): NonNullable<RunRecord[Field]> {
  const value = run[field];
  if (value === null || value === undefined) {
    throw new TypeError(`Run ${run.id} is ${run.status} but has no ${field}.`);
  }
  return value;
}
