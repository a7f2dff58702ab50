// list_approvals: what waits for the account's owner, and what was decided.

import { ok } from "../../../../base/result.ts";
import { listApprovalsTool } from "../../../../contract/mcp/approval-tools.ts";
import { listApprovals } from "../../../core/approvals/read-approvals.ts";
import { approvalLine, toToolApproval } from "../approval-answer.ts";
import { withSomeAgent } from "../find-agent.ts";
import { answer, defineTool } from "../tool.ts";

export const listApprovalsOfAccount = defineTool({
  name: "list_approvals",
  title: "List approvals",
  description:
    "What was asked for and only the account's owner may do: schedules, workflows, writes by MCP servers. The owner approves at approve_url.",
  hints: { isReadOnly: true },
  scopes: ["agents:read"],
  schemas: listApprovalsTool,
  run: async ({ agent: named, status, limit }, { core, caller }) =>
    await withSomeAgent({ core, caller }, named, async (agentId) => {
      const page = await listApprovals(core, { caller, agentId, status, before: null, limit });
      const approvals = page.approvals.map((approval) => toToolApproval(approval, core));
      const text =
        approvals.length === 0 ? `No approval is ${status}.` : approvals.map(approvalLine).join("\n");
      return ok(answer({ approvals, has_more: page.next !== null }, text));
    }),
});
