// The tools of approvals. No tool approves: docs/decisions/068-approvals.md

import * as z from "zod/mini";
import { assertNever } from "../../../../base/assert-never.ts";
import { ok } from "../../../../base/result.ts";
import { singleLine } from "../../../../base/untrusted-text.ts";
import {
  type Approval,
  approvalKinds,
  approvalSchema,
  approvalStatuses,
} from "../../../../contract/approvals/approval.ts";
import { approvalRoutes } from "../../../../contract/approvals/routes.ts";
import { field } from "../../../../contract/field.ts";
import { approvalHandlers } from "../../http/handlers/approvals.ts";
import { linesOf, part, taken } from "../answer-part.ts";
import { answer, bodyOf, hasMore, said, tool } from "../tool.ts";
import { atMost } from "../tool-input.ts";

const MAX_LISTED = 20;
const MAX_WHAT_CHARS = 300;

const common = ["id", "agent_id", "status", "created_at", "expires_at", "decided_at", "approve_url"] as const;
const [anyKind] = approvalSchema.def.options;
/** `what` is what its page shows at length, in a few words. */
const toolApprovalSchema = z.extend(part(anyKind, common).schema, {
  kind: z.enum(approvalKinds),
  what: z.string(),
});
type ToolApproval = z.infer<typeof toolApprovalSchema>;

function toToolApproval(approval: Approval): ToolApproval {
  const what = singleLine(whatOf(approval), MAX_WHAT_CHARS);
  return { ...taken(approval, common), kind: approval.kind, what };
}

function approvalLine({ id, kind, what, status, approve_url }: ToolApproval): string {
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

export const approvalTools = [
  tool(approvalRoutes.list, {
    name: "list_approvals",
    title: "List approvals",
    description:
      "What was asked for and only the account's owner may do: schedules, workflows, writes by MCP servers. The owner approves at approve_url.",
    hints: { isReadOnly: true },
    takes: ["agent_id", "status", "limit"],
    fields: {
      agent_id: "Only the approvals of this agent: its id, or its name.",
      status: field(z._default(z.enum(approvalStatuses), "pending"), "Only those in this state."),
      limit: atMost(MAX_LISTED, MAX_LISTED, "Approvals"),
    },
    output: z.object({ approvals: z.array(toolApprovalSchema), has_more: z.boolean() }),
    run: async (request, { core, submitter }) => {
      const page = await approvalHandlers(core, submitter).list(request);
      if (!page.ok) return page;
      const approvals = bodyOf(page.value).map(toToolApproval);
      const text = linesOf(approvals, approvalLine, `No approval is ${request.query.status}.`);
      return ok(answer({ approvals, has_more: hasMore(page.value) }, text));
    },
  }),
  tool(approvalRoutes.deny, {
    name: "deny_approval",
    title: "Deny an approval",
    description:
      "Leaves undone what was asked for; a schedule is cancelled. Nothing but its owner can approve it.",
    hints: { isIdempotent: true, isDestructive: true },
    output: toolApprovalSchema,
    run: async (request, { core, submitter }) =>
      said(await approvalHandlers(core, submitter).deny(request), (denied) => {
        const approval = toToolApproval(denied);
        return answer(approval, approvalLine(approval));
      }),
  }),
];
