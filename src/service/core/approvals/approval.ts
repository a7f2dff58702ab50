// Approvals as they are stored: one act that an AI client or a run asked for and may not do itself, which waits for the owner.
// Times are milliseconds since the epoch. Pure.
//
//   pending → approved | denied | expired | resolved_elsewhere
//
// Why: docs/decisions/068-approvals.md

import type { ApprovalStatus } from "../../../contract/approvals/approval.ts";
import type { Evidence } from "../../../contract/workspaces/changesets/changeset.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const PENDING_MS = 7 * DAY_MS;
/** The time after its end in which it is listed. */
const KEPT_MS = 30 * DAY_MS;
/** The time for which a denial is the answer to the same request. */
const DENIAL_MS = DAY_MS;

/** The action that the owner approves. Everything that a person has to know to decide is in it, as it was when it was requested. */
export type ApprovalAction =
  | {
      readonly kind: "confirm_schedule";
      readonly scheduleId: string;
      readonly prompt: string;
      readonly fireAt: number;
    }
  | ({ readonly kind: "activate_workflow" } & WorkflowAction)
  | ({ readonly kind: "run_workflow"; readonly input: string | null } & WorkflowAction)
  | {
      readonly kind: "grant_writes";
      readonly server: string;
      readonly tool: string;
      readonly runId: string;
      /** Of the call that was refused first, as JSON, cut where it is long. Absent: an earlier version asked. */
      readonly args?: string;
    }
  | ({ readonly kind: "accept_changeset" } & ChangesetAction);

/** Of a workspace that the agent manages. */
type ChangesetAction = {
  readonly workspaceId: string;
  readonly changesetId: string;
  /** The proposed revision, and the one that was current when it was asked for. */
  readonly revisionId: string;
  readonly expectedRevisionId: string;
  /** A revision that has the conflicts of the changeset settled. Null: it has none. */
  readonly resolvedRevisionId: string | null;
  readonly title: string;
  readonly files: number;
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly evidence: Evidence;
};

type WorkflowAction = {
  readonly workflowId: string;
  readonly name: string;
  readonly version: number;
  readonly prompt: string;
};

export type ApprovalRequester =
  | {
      readonly type: "ai_client";
      readonly name: string | null;
      /** For whom it acts. Absent: for the account, or an earlier version asked. */
      readonly personId?: string;
    }
  | { readonly type: "run"; readonly runId: string };

/** `service`: it was done or became pointless another way. */
type Decider = "owner" | "ai_client" | "service";

export type ApprovalRecord = {
  /** An approval of a schedule has the schedule's id. */
  readonly id: string;
  readonly accountId: string;
  readonly agentId: string;
  /** The same for two requests of the same. */
  readonly subject: string;
  /** As stored: one whose time is over may still be `pending`. See `statusAt`. */
  readonly status: ApprovalStatus;
  readonly action: ApprovalAction;
  readonly requestedBy: ApprovalRequester;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly keptUntil: number;
  readonly decidedAt: number | null;
  readonly decidedBy: Decider | null;
  /** The run that the approval started. */
  readonly runId: string | null;
};

/** The end of a pending one. */
export type ApprovalEnd = {
  readonly status: Exclude<ApprovalStatus, "pending">;
  readonly decidedAt: number;
  readonly decidedBy: Decider;
  readonly runId: string | null;
};

export function newApproval(
  request: Pick<ApprovalRecord, "id" | "accountId" | "agentId" | "action" | "requestedBy">,
  { subject, now }: { subject: string; now: number },
): ApprovalRecord {
  const { action } = request;
  const expiresAt = action.kind === "confirm_schedule" ? action.fireAt : now + PENDING_MS;
  return {
    ...request,
    subject,
    status: "pending",
    createdAt: now,
    expiresAt,
    keptUntil: expiresAt + KEPT_MS,
    decidedAt: null,
    decidedBy: null,
    runId: null,
  };
}

/** Its state now: nothing has to happen for a pending one to expire. A schedule can be confirmed up to its time. */
export function statusAt({ status, expiresAt }: ApprovalRecord, now: number): ApprovalStatus {
  return status === "pending" && expiresAt < now ? "expired" : status;
}

/** Whether the denial of an earlier request is still the answer to the same one. */
export function isStillDenied({ status, decidedAt }: ApprovalRecord, now: number): boolean {
  return status === "denied" && decidedAt !== null && now < decidedAt + DENIAL_MS;
}
