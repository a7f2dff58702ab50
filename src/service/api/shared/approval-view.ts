// A stored approval as the contract shows it. Pure.

import { assertNever } from "../../../base/assert-never.ts";
import type { Approval } from "../../../contract/approvals/approval.ts";
import { type ApprovalRecord, statusAt } from "../../core/approvals/approval.ts";
import { approveUrl } from "../../core/approvals/approve-url.ts";
import type { Policy } from "../../core/core.ts";

export function toApproval(
  approval: ApprovalRecord,
  { policy, now }: { policy: Pick<Policy, "webUrl">; now: number },
): Approval {
  const { id, action, requestedBy, decidedAt, decidedBy, runId } = approval;
  const common = {
    id,
    agent_id: approval.agentId,
    status: statusAt(approval, now),
    requested_by:
      requestedBy.type === "run"
        ? { type: requestedBy.type, run_id: requestedBy.runId }
        : { type: requestedBy.type, ...(requestedBy.name === null ? {} : { name: requestedBy.name }) },
    created_at: iso(approval.createdAt),
    expires_at: iso(approval.expiresAt),
    ...(decidedAt === null ? {} : { decided_at: iso(decidedAt) }),
    ...(decidedBy === null ? {} : { decided_by: decidedBy }),
    approve_url: approveUrl(policy, id),
  };
  switch (action.kind) {
    case "confirm_schedule": {
      const { kind, scheduleId, prompt, fireAt } = action;
      return { kind, ...common, schedule_id: scheduleId, prompt, fire_at: iso(fireAt) };
    }
    case "activate_workflow": {
      const { kind, workflowId, ...workflow } = action;
      return { kind, ...common, workflow_id: workflowId, ...workflow };
    }
    case "run_workflow": {
      const { kind, workflowId, input, ...workflow } = action;
      const optional = { ...(input === null ? {} : { input }), ...(runId === null ? {} : { run_id: runId }) };
      return { kind, ...common, workflow_id: workflowId, ...workflow, ...optional };
    }
    case "grant_writes": {
      const { kind, server, tool } = action;
      return { kind, ...common, server, tool };
    }
    case "accept_changeset": {
      const { kind, resolvedRevisionId, title, files, additions, deletions, evidence } = action;
      return {
        kind,
        ...common,
        title,
        files,
        validation_evidence: evidence,
        workspace_id: action.workspaceId,
        changeset_id: action.changesetId,
        revision_id: action.revisionId,
        expected_current_revision: action.expectedRevisionId,
        ...(resolvedRevisionId === null ? {} : { resolved_revision_id: resolvedRevisionId }),
        ...(additions === null ? {} : { additions }),
        ...(deletions === null ? {} : { deletions }),
      };
    }
    default:
      return assertNever(action);
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
