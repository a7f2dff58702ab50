// The routes of approvals, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../component.ts";
import { accounts, defineRoute, nounRoutes, owners, query } from "../route.ts";
import { approvalListSchema, approvalSchema, listApprovalsQuerySchema } from "./approval.ts";

export const approvalComponents: Components = {
  Approval: component(
    approvalSchema,
    "What an AI client or a run asked for and only the account's owner may do. A union on `kind`.",
  ),
  ApprovalList: component(approvalListSchema, "Approvals, newest first."),
};

export const approvalRoutes = nounRoutes("approvals", "Approvals", {
  list: defineRoute("GET /v1/approvals", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: approvalListSchema,
    summary: "List what waits for the account's owner, and what was decided, newest first",
    scopes: ["agents:read"],
    query: query(listApprovalsQuerySchema),
    answers: { 200: { description: "A page of approvals.", headers: ["Link"] } },
  }),
  get: defineRoute("GET /v1/approvals/{approvalID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: approvalSchema,
    summary: "Read an approval",
    scopes: ["agents:read"],
    answers: { 200: "The approval." },
  }),
  approve: defineRoute("POST /v1/approvals/{approvalID}/approve", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: approvalSchema,
    summary: "Approve: what was requested is done",
    description:
      "Does exactly what the approval shows: a schedule is confirmed, that version of a workflow is activated or run, writes are granted, that changeset is accepted. Only the owner may: an AI client gets 403 with a link for the owner. Where the act is refused, the approval stays pending. Safe to repeat.",
    answers: { 200: "The approval." },
    refusals: [402, 409],
  }),
  deny: defineRoute("POST /v1/approvals/{approvalID}/deny", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: approvalSchema,
    summary: "Deny: what was requested is not done",
    scopes: ["schedules:write"],
    description:
      "A schedule is cancelled. The same request within a day is answered with this denial. An AI client may deny, too. Safe to repeat.",
    answers: { 200: "The approval." },
    refusals: [409],
  }),
});
