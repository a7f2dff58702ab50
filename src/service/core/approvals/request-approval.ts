// Puts what an AI client or a run may not do before the owner, and takes it back where it was done another way. Both are
// part of the transaction of the act itself.

import type { AccountCaller } from "../accounts/caller.ts";
import type { Agent } from "../agents/agent.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import {
  type ApprovalAction,
  type ApprovalRecord,
  type ApprovalRequester,
  isStillDenied,
  newApproval,
  statusAt,
} from "./approval.ts";
import { subjectOf } from "./approval-subject.ts";

/** Pending ones of an agent, those of schedules aside: each of them is a schedule already. */
const MAX_PENDING = 100;

type ApprovalRequest = {
  readonly agent: Pick<Agent, "id" | "accountId">;
  readonly action: ApprovalAction;
  readonly requestedBy: ApprovalRequester;
};

/** A key has the name that its owner gave it, an application its id. */
export function requesterOf({ clientName, accessToken, personId }: AccountCaller): ApprovalRequester {
  const name = clientName ?? accessToken?.clientId ?? null;
  return { type: "ai_client", name, ...(personId === null ? {} : { personId }) };
}

/**
 * The approval of this request: a new one, the one that is pending, or the one that was denied within a day. Null where the
 * agent has no owner, or too much is pending.
 */
export async function requestApproval(
  core: Pick<Core, "clock" | "random">,
  tx: StoreTransaction,
  { agent, action, requestedBy }: ApprovalRequest,
): Promise<ApprovalRecord | null> {
  const now = core.clock.now();
  // Two requests of the same wait for each other here.
  const locked = await tx.agents.lock(agent.id);
  if (locked === null || locked.accountId === null || locked.accountId !== agent.accountId) return null;
  const subject = subjectOf(action);
  const latest = await tx.approvals.findLatest({ agentId: agent.id, subject });
  if (latest !== null && latest.accountId === locked.accountId) {
    const status = statusAt(latest, now);
    if (status === "pending" || isStillDenied(latest, now)) return latest;
    if (latest.status === "pending") await tx.approvals.end(latest.id, endOf("expired", now));
  }
  const isSchedule = action.kind === "confirm_schedule";
  if (!isSchedule && (await tx.approvals.countPending({ agentId: agent.id, now })) >= MAX_PENDING)
    return null;
  const id = isSchedule ? action.scheduleId : core.random.uuid(now);
  const approval = newApproval(
    { id, accountId: locked.accountId, agentId: agent.id, action, requestedBy },
    { subject, now },
  );
  await tx.approvals.insert(approval);
  return approval;
}

/** Ends the pending approval of what was done, or became pointless, without it. */
export async function resolveElsewhere(
  core: Pick<Core, "clock">,
  tx: StoreTransaction,
  { agentId, subject }: { agentId: string; subject: string | null },
): Promise<void> {
  await tx.approvals.endPending({ agentId, subject, end: endOf("resolved_elsewhere", core.clock.now()) });
}

function endOf(status: "expired" | "resolved_elsewhere", now: number) {
  return { status, decidedAt: now, decidedBy: "service", runId: null } as const;
}
