// POST /v1/approvals/{approvalID}/approve and …/deny. Approving does what was requested, in the transaction that records the
// decision: no crash leaves the one without the other.

import { assertNever } from "../../../base/assert-never.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import { auditAct } from "../agents/audit-act.ts";
import type { AgentEndingRefusal, AgentRefusal } from "../agents/refusals.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { SubmitRefusal } from "../runs/refusals.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import { cancelWithin } from "../schedules/cancel-schedule.ts";
import { confirmWithin } from "../schedules/confirm-schedule.ts";
import type { ScheduleRefusal } from "../schedules/refusals.ts";
import { activateWithin } from "../workflows/activate-within.ts";
import type { WorkflowRefusal } from "../workflows/refusals.ts";
import { executeWorkflow } from "../workflows/workflows.ts";
import type { ReviewRefusal } from "../workspaces/changesets/reviews.ts";
import type { WorkRefusal } from "../workspaces/refusals.ts";
import { grantWithin } from "../write-grants/grant-within.ts";
import type { ApprovalEnd, ApprovalRecord } from "./approval.ts";
import { statusAt } from "./approval.ts";
import { approveUrl } from "./approve-url.ts";
import { findApproval } from "./read-approvals.ts";
import type { ApprovalRefusal } from "./refusals.ts";

export type Decision = {
  readonly caller: AccountCaller;
  readonly approvalId: string;
  readonly requestId: string;
};

type ActRefusal =
  | AgentRefusal
  | AgentEndingRefusal
  | ClassRefusal
  | ScheduleRefusal
  | WorkflowRefusal
  | ReviewRefusal;
type Decided<Refusal> = Promise<Result<ApprovalRecord, ApprovalRefusal | Refusal>>;

/** Another decided it meanwhile: what this one has done is undone. */
class DecidedMeanwhileError extends Error {}
/** The act was refused: nothing is written. */
class ActRefusedError extends Error {
  readonly refusal: ActRefusal;

  constructor(refusal: ActRefusal) {
    super("The act was refused.");
    this.refusal = refusal;
  }
}

/**
 * Does what was requested, as it is shown. Only the account's owner can: an AI client is told where. A refusal of the act
 * itself leaves the approval pending. Safe to repeat.
 */
export async function approveApproval(
  core: Core,
  submitter: RunSubmitter,
  decision: Decision,
): Decided<ActRefusal | SubmitRefusal | WorkRefusal> {
  const { caller, approvalId } = decision;
  const found = await findApproval(core, decision);
  if (!found.ok) return found;
  if (caller.callerClass !== "owner") {
    const url = approveUrl(core.policy, approvalId);
    return refused({ reason: "owner_needed", what: "approve what an AI client asked for", url });
  }
  const approval = found.value;
  if (approval.status === "approved") return found;
  const over = faultOf(core, approval);
  if (over !== null) return over;
  return await decided(core, { ...decision, wanted: "approved" }, async () => {
    const { action } = approval;
    if (action.kind === "run_workflow")
      return await runApproved(core, submitter, { ...decision, approval, action });
    if (action.kind === "accept_changeset")
      return await acceptApproved(core, { ...decision, approval, action });
    return await approveInStore(core, { ...decision, approval });
  });
}

/** Leaves undone what was requested; a schedule is cancelled. An AI client can, too. Safe to repeat. */
export async function denyApproval(core: Core, decision: Decision): Decided<never> {
  const { caller } = decision;
  const found = await findApproval(core, decision);
  if (!found.ok) return found;
  const approval = found.value;
  if (approval.status === "denied") return found;
  const over = faultOf(core, approval);
  if (over !== null) return over;
  return await decided(core, { ...decision, wanted: "denied" }, async () => {
    await core.store.transact(async (tx) => {
      if (approval.action.kind === "confirm_schedule") await cancelWithin(tx, approval.action.scheduleId);
      await endAs(core, tx, {
        ...{ approval, requestId: decision.requestId },
        end: { status: "denied", decidedBy: caller.callerClass, runId: null },
      });
    });
    if (approval.action.kind === "confirm_schedule") core.scheduleAlarm.ring();
    return ok(null);
  });
}

type Approving = Decision & { readonly approval: ApprovalRecord };

async function approveInStore(
  core: Core,
  { approval, requestId }: Approving,
): Promise<Result<null, ActRefusal>> {
  try {
    await core.store.transact(async (tx) => {
      // An agent that was given back meanwhile is not this owner's to decide about.
      const agent = await tx.agents.lock(approval.agentId);
      if (agent === null || agent.accountId !== approval.accountId)
        throw new ActRefusedError({ reason: "agent_of_another", agentId: approval.agentId });
      await act(core, tx, approval);
      await endAs(core, tx, {
        ...{ approval, requestId },
        end: { status: "approved", decidedBy: "owner", runId: null },
      });
    });
  } catch (cause) {
    if (cause instanceof ActRefusedError) return refused(cause.refusal);
    throw cause;
  }
  if (approval.action.kind === "confirm_schedule") core.scheduleAlarm.ring();
  return ok(null);
}

async function act(core: Core, tx: StoreTransaction, { action, agentId }: ApprovalRecord): Promise<void> {
  switch (action.kind) {
    case "confirm_schedule": {
      const confirmed = await confirmWithin(core, tx, { agentId, scheduleId: action.scheduleId });
      if (!confirmed.ok) throw new ActRefusedError(confirmed.refusal);
      return;
    }
    case "activate_workflow": {
      const { workflowId, version } = action;
      const activated = await activateWithin(core, tx, { workflowId, version });
      if (!activated.ok) throw new ActRefusedError(activated.refusal);
      return;
    }
    case "grant_writes":
      return await grantWithin(core, tx, { agentId, server: action.server });
    case "run_workflow":
    case "accept_changeset":
      throw new TypeError("It is done outside of the approval's own transaction.");
    default:
      return assertNever(action);
  }
}

type Running = Approving & {
  readonly action: Extract<ApprovalRecord["action"], { readonly kind: "run_workflow" }>;
};

async function runApproved(
  core: Core,
  submitter: RunSubmitter,
  { caller, approval, action, requestId }: Running,
): Promise<Result<null, ActRefusal | SubmitRefusal | WorkRefusal>> {
  const { workflowId, version, input } = action;
  const executed = await executeWorkflow(core, submitter, {
    ...{ caller, workflowId, input, version },
    idempotencyKey: null,
    alongside: async (tx, { runId }) =>
      await endAs(core, tx, {
        ...{ approval, requestId },
        end: { status: "approved", decidedBy: "owner", runId },
      }),
  });
  return executed.ok ? ok(null) : executed;
}

type Accepting = Approving & {
  readonly action: Extract<ApprovalRecord["action"], { readonly kind: "accept_changeset" }>;
};

/** Git merges before the transaction: what accepts changesets is loaded for it. */
async function acceptApproved(
  core: Core,
  { caller, approval, action, requestId }: Accepting,
): Promise<Result<null, ReviewRefusal>> {
  if (core.workspaces === null) {
    return refused({ reason: "workspace_not_found", workspaceId: action.workspaceId });
  }
  const { acceptReviewed } = await core.workspaces.reviews();
  return await acceptReviewed({
    ...{ accountId: caller.accountId, action },
    alongside: async (tx) =>
      await endAs(core, tx, {
        ...{ approval, requestId },
        end: { status: "approved", decidedBy: "owner", runId: null },
      }),
  });
}

type End = {
  readonly approval: ApprovalRecord;
  readonly requestId: string;
  readonly end: Omit<ApprovalEnd, "decidedAt">;
};

async function endAs(core: Core, tx: StoreTransaction, { approval, requestId, end }: End): Promise<void> {
  const ended = await tx.approvals.end(approval.id, { ...end, decidedAt: core.clock.now() });
  if (!ended) throw new DecidedMeanwhileError();
  const { agentId, accountId } = approval;
  await auditAct(core, tx, { action: "approval", outcome: end.status, agentId, accountId, requestId });
}

/** The approval as it is once it is decided, or what hindered that. */
async function decided<Refusal>(
  core: Core,
  { wanted, ...decision }: Decision & { readonly wanted: "approved" | "denied" },
  decide: () => Promise<Result<null, Refusal>>,
): Decided<Refusal> {
  try {
    const done = await decide();
    if (!done.ok) return done;
  } catch (cause) {
    if (!(cause instanceof DecidedMeanwhileError)) throw cause;
    const now = await findApproval(core, decision);
    return now.ok && now.value.status !== wanted ? (faultOf(core, now.value) ?? now) : now;
  }
  return await findApproval(core, decision);
}

/** Null while it waits. */
function faultOf(core: Core, approval: ApprovalRecord): Result<never, ApprovalRefusal> | null {
  const status = statusAt(approval, core.clock.now());
  return status === "pending"
    ? null
    : refused({ reason: "approval_decided", approvalId: approval.id, status });
}
