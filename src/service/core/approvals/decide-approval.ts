// POST /v1/approvals/{approvalID}/approve and …/deny. Approving does what was requested, in the transaction that records the
// decision: no crash leaves the one without the other.

import { ok, type Result, refused } from "../../../base/result.ts";
import { type AccountCaller, actorOf, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import { auditAct } from "../agents/audit-act.ts";
import type { AuditActor } from "../audit/audit-entry.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import type { ActionKind, ActionOf, ActRefusal, ActRefusals, Approvable, Approved } from "./approvable.ts";
import type { ApprovalEnd, ApprovalRecord } from "./approval.ts";
import { statusAt } from "./approval.ts";
import { approveUrl } from "./approve-url.ts";
import { findApproval } from "./read-approvals.ts";
import type { ApprovalRefusal } from "./refusals.ts";

type Decision = {
  readonly caller: AccountCaller;
  readonly approvalId: string;
  readonly requestId: string;
};

type Decided<Refusal> = Promise<Result<ApprovalRecord, ApprovalRefusal | Refusal>>;

/** Another decided it meanwhile: what this one has done is undone. */
class DecidedMeanwhileError extends Error {}

/**
 * Does what was requested, as it is shown. Only the account's owner can: an AI client is told where. A refusal of the act
 * itself leaves the approval pending. Safe to repeat.
 */
export async function approveApproval(
  core: Core,
  submitter: RunSubmitter,
  decision: Decision,
): Decided<ClassRefusal | ActRefusal> {
  const { caller, approvalId } = decision;
  const found = await findApproval(core, decision);
  if (!found.ok) return found;
  if (!isOwner(caller)) {
    const url = approveUrl(core.policy, approvalId);
    return refused({ reason: "owner_needed", what: "approve what an AI client asked for", url });
  }
  const approval = found.value;
  if (approval.status === "approved") return found;
  const over = faultOf(core, approval);
  if (over !== null) return over;
  const { agentId, action } = approval;
  return await decided(core, { ...decision, wanted: "approved" }, async () =>
    approve(core, action.kind, {
      caller,
      agentId,
      action,
      submitter,
      alongside: async (tx, { runId }) =>
        await endAs(core, tx, {
          approval,
          by: actorOf(caller),
          requestId: decision.requestId,
          end: { status: "approved", decidedBy: "owner", runId },
        }),
    }),
  );
}

async function approve<Kind extends ActionKind>(
  core: Core,
  kind: Kind,
  approved: Approved<Kind>,
): Promise<Result<null, ActRefusals[Kind]>> {
  const approvable: Approvable<Kind> = core.approvables[kind];
  const done = await approvable.approve(core, approved);
  if (done.ok) approvable.decided?.(core);
  return done;
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
  const { action } = approval;
  return await decided(core, { ...decision, wanted: "denied" }, async () =>
    deny(core, action.kind, {
      action,
      alongside: async (tx) =>
        await endAs(core, tx, {
          approval,
          by: actorOf(caller),
          requestId: decision.requestId,
          end: { status: "denied", decidedBy: caller.callerClass, runId: null },
        }),
    }),
  );
}

async function deny<Kind extends ActionKind>(
  core: Core,
  kind: Kind,
  { action, alongside }: { action: ActionOf<Kind>; alongside: (tx: StoreTransaction) => Promise<void> },
): Promise<Result<null, never>> {
  const approvable: Approvable<Kind> = core.approvables[kind];
  await core.store.transact(async (tx) => {
    await approvable.deny?.(tx, action);
    await alongside(tx);
  });
  approvable.decided?.(core);
  return ok(null);
}

type End = {
  readonly approval: ApprovalRecord;
  readonly by: AuditActor;
  readonly requestId: string;
  readonly end: Omit<ApprovalEnd, "decidedAt">;
};

async function endAs(core: Core, tx: StoreTransaction, { approval, by, requestId, end }: End): Promise<void> {
  const ended = await tx.approvals.end(approval.id, { ...end, decidedAt: core.clock.now() });
  if (!ended) throw new DecidedMeanwhileError();
  const { agentId, accountId } = approval;
  const agent = await tx.agents.find(agentId);
  await auditAct(core, tx, { action: "approval", outcome: end.status, by, agent, accountId, requestId });
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
