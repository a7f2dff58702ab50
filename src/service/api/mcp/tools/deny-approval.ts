// deny_approval: what was asked for is not done.

import { ok } from "../../../../base/result.ts";
import { denyApprovalTool } from "../../../../contract/mcp/approval-tools.ts";
import { denyApproval } from "../../../core/approvals/decide-approval.ts";
import { approvalLine, toToolApproval } from "../approval-answer.ts";
import { answer, defineTool } from "../tool.ts";

export const denyApprovalById = defineTool({
  name: "deny_approval",
  title: "Deny an approval",
  description:
    "Leaves undone what was asked for; a schedule is cancelled. Nothing but its owner can approve it.",
  hints: { isIdempotent: true, isDestructive: true },
  scopes: ["schedules:write"],
  schemas: denyApprovalTool,
  run: async ({ approval_id: approvalId }, { core, caller, requestId }) => {
    const denied = await denyApproval(core, { caller, approvalId, requestId });
    if (!denied.ok) return denied;
    const approval = toToolApproval(denied.value, core);
    return ok(answer(approval, approvalLine(approval)));
  },
});
