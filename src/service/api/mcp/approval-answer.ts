// An approval as the tools answer with it: what its page shows at length, in a few words. Pure.

import { assertNever } from "../../../base/assert-never.ts";
import { singleLine } from "../../../base/untrusted-text.ts";
import type { Approval } from "../../../contract/approvals/approval.ts";
import type { ToolApproval } from "../../../contract/mcp/approval-tools.ts";
import type { ApprovalRecord } from "../../core/approvals/approval.ts";
import type { Core } from "../../core/core.ts";
import { toApproval } from "../shared/approval-view.ts";

const MAX_WHAT_CHARS = 300;

export function toToolApproval(record: ApprovalRecord, { policy, clock }: Core): ToolApproval {
  const approval = toApproval(record, { policy, now: clock.now() });
  const { id, agent_id, kind, status, created_at, expires_at, decided_at, approve_url } = approval;
  const what = singleLine(whatOf(approval), MAX_WHAT_CHARS);
  return {
    ...{ id, agent_id, kind, what, status, created_at, expires_at, approve_url },
    ...(decided_at === undefined ? {} : { decided_at }),
  };
}

export function approvalLine({ id, kind, what, status, approve_url }: ToolApproval): string {
  return `${id}: ${kind}, ${status}. ${what}. Its page is ${approve_url}`;
}

function whatOf(approval: Approval): string {
  switch (approval.kind) {
    case "confirm_schedule":
      return `A run at ${approval.fire_at}: ${approval.prompt}`;
    case "activate_workflow":
      return `Version ${approval.version} of the workflow ${approval.name}`;
    case "run_workflow":
      return `A run of version ${approval.version} of the workflow ${approval.name}`;
    case "grant_writes":
      return `Writes by tools of the MCP server ${approval.server}, such as ${approval.tool}`;
    case "accept_changeset":
      return `The changeset "${approval.title}" of ${approval.files} files becomes part of the accepted ones`;
    default:
      return assertNever(approval);
  }
}
