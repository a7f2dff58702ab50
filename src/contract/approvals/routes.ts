// The routes of approvals. Pure.

import { accounts, defineRoute, nounRoutes, owners, query } from "../route.ts";
import { approvalListSchema, approvalSchema, listApprovalsQuerySchema } from "./approval.ts";

export const approvalRoutes = nounRoutes("approvals", "Approvals", {
  list: defineRoute("GET /v1/approvals", {
    callers: accounts,
    repeat: "safe",
    answer: approvalListSchema,
    summary: "List what waits for the account's owner, and what was decided, newest first",
    scopes: ["agents:read"],
    query: query(listApprovalsQuerySchema, {
      status: "Only those in this state.",
      agent_id: "Only those of this agent.",
      before: "The id of the approval that the page comes after.",
      limit: "Approvals at most.",
    }),
    answers: { 200: { description: "A page of approvals.", headers: ["Link"] } },
  }),
  get: defineRoute("GET /v1/approvals/{approvalID}", {
    callers: accounts,
    repeat: "safe",
    answer: approvalSchema,
    summary: "Read an approval",
    scopes: ["agents:read"],
    answers: { 200: "The approval." },
  }),
  approve: defineRoute("POST /v1/approvals/{approvalID}/approve", {
    callers: owners,
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
