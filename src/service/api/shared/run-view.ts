// A stored run as the contract shows it. Throws on a row that its state forbids. Pure.

import type { Run } from "../../../contract/runs/run.ts";
import { chargeInCredits, creditsOf } from "../../core/money/ledger.ts";
import { shownParked } from "../../core/runs/park-run.ts";
import type { RunRecord, RunWorkspace } from "../../core/runs/run-record.ts";
import {
  type AdvisorTerms,
  type BudgetUse,
  type ModelUsage,
  modelRoles,
  sumOf,
  type Usage,
} from "../../core/runs/usage.ts";
import type { PlacedRun } from "../../core/workspaces/placed-runs/place-runs.ts";
import { toAbout } from "./about-view.ts";
import { toDelivery } from "./delivery-view.ts";

/** A run, with where it works in a workspace. */
export function toPlacedRun({ run, place }: PlacedRun): Run {
  return { ...toRun(run), ...(place === undefined ? {} : placeOf(place)) };
}

export function toRun(run: RunRecord): Run {
  const identity = {
    id: run.id,
    agent_id: run.agentId,
    thread_id: run.sessionId,
    origin: run.origin,
    ...(run.parentRunId === null ? {} : { parent_run_id: run.parentRunId }),
    ...(run.commit === undefined ? {} : { commit: run.commit }),
    ...aboutOf(run),
    ...(run.delivery === null ? {} : { delivery: toDelivery(run.delivery) }),
  };
  switch (run.status) {
    case "queued":
      return { status: "queued", ...identity, credits: null, tokens: null };
    case "running":
      return {
        status: "running",
        ...identity,
        credits: null,
        tokens: null,
        ...startOf(run),
        ...(run.parked === undefined ? {} : { parked: shownParked(run.parked) }),
      };
    case "cancelling":
      return { status: "cancelling", ...identity, credits: null, tokens: null, ...startOf(run) };
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
        ...(run.stopReason === null ? {} : { stop_reason: run.stopReason }),
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

function aboutOf(run: RunRecord) {
  const about = toAbout(run);
  return about === undefined ? {} : { about };
}

function placeOf({ workspaceId, copyId }: RunWorkspace) {
  return { workspace_id: workspaceId, ...(copyId === null ? {} : { copy_id: copyId }) };
}

function startOf(run: RunRecord) {
  return { started_at: iso(run, "startedAt"), last_heartbeat_at: iso(run, "heartbeatAt") };
}

function accountingOf(run: RunRecord) {
  const { grossMicroUsd: gross, refundedMicroUsd: refunded, usage } = run;
  return {
    credits: chargeInCredits(gross - refunded),
    tokens: usage === null ? null : sumOf(usage, "tokens"),
    ...(gross === 0 ? {} : { gross_micro_usd: gross }),
    ...(run.modelBilling === null ? {} : { model_billing: run.modelBilling }),
    ...(usage === null || Object.keys(usage.roles).length === 0 ? {} : { usage_by_role: usageByRole(usage) }),
    ...(usage?.models === undefined ? {} : { usage_by_model: usage.models.map(modelUsageOf) }),
    ...(usage?.budget === undefined || Object.keys(usage.roles).length === 0
      ? {}
      : { budget: budgetOf(usage.budget) }),
    ...(usage === null || usage.advisor === null ? {} : { advisor: advisorOf(usage, usage.advisor) }),
    ...(refunded === 0 ? {} : { refunded_micro_usd: refunded }),
    ...(run.refundReason === null ? {} : { refund_reason: run.refundReason }),
    ...(run.refundWithheldReason === null ? {} : { refund_withheld_reason: run.refundWithheldReason }),
    ...(run.checks === null ? {} : { checks: run.checks }),
  };
}

function usageByRole({ roles }: Usage) {
  const entries = modelRoles.flatMap((role) => {
    const used = roles[role];
    if (used === undefined) return [];
    const { microUsd, tokens, calls, isEstimated } = used;
    const estimated = isEstimated === true ? { estimated: true as const } : {};
    return [[role, { credits: creditsOf(microUsd), micro_usd: microUsd, tokens, calls, ...estimated }]];
  });
  return Object.fromEntries(entries);
}

function modelUsageOf({ model, calls, costMicroUsd, ...tokens }: ModelUsage) {
  return {
    model,
    calls,
    input_tokens: tokens.inputTokens,
    cached_input_tokens: tokens.cachedInputTokens,
    output_tokens: tokens.outputTokens,
    ...(costMicroUsd === null ? {} : { cost_micro_usd: costMicroUsd }),
  };
}

function budgetOf(use: BudgetUse) {
  const { maxTokens, costMicroUsd, maxCostMicroUsd } = use;
  return {
    counted_tokens: use.countedTokens,
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    input_tokens: use.inputTokens,
    cached_input_tokens: use.cachedInputTokens,
    ...(costMicroUsd === null ? {} : { cost_micro_usd: costMicroUsd }),
    ...(maxCostMicroUsd === null ? {} : { max_cost_micro_usd: maxCostMicroUsd }),
  };
}

function advisorOf({ roles }: Usage, { callsAllowed, spendCapMicroUsd: cap }: AdvisorTerms) {
  return {
    calls_used: roles.advisor?.calls ?? 0,
    calls_allowed: callsAllowed,
    spend_micro_usd: roles.advisor?.microUsd ?? 0,
    ...(cap === null ? {} : { spend_cap_micro_usd: cap }),
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
