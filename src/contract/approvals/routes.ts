// The routes of approvals. Pure.

import { defineRoute, nounRoutes, query } from "../route.ts";
import { listApprovalsQuerySchema } from "./approval.ts";
import { approvalEndpoints } from "./endpoints.ts";

export const approvalRoutes = nounRoutes("approvals", "Approvals", {
  list: defineRoute(approvalEndpoints.list, {
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
  get: defineRoute(approvalEndpoints.get, {
    summary: "Read an approval",
    scopes: ["agents:read"],
    answers: { 200: "The approval." },
  }),
  approve: defineRoute(approvalEndpoints.approve, {
    summary: "Approve: what was requested is done",
    description:
      "Does exactly what the approval shows: a schedule is confirmed, that version of a workflow is activated or run, writes are granted, that changeset is accepted. Only the owner may: an AI client gets 403 with a link for the owner. Where the act is refused, the approval stays pending. Safe to repeat.",
    answers: { 200: "The approval." },
    refusals: [402, 409],
  }),
  deny: defineRoute(approvalEndpoints.deny, {
    summary: "Deny: what was requested is not done",
    scopes: ["schedules:write"],
    description:
      "A schedule is cancelled. The same request within a day is answered with this denial. An AI client may deny, too. Safe to repeat.",
    answers: { 200: "The approval." },
    refusals: [409],
  }),
});
