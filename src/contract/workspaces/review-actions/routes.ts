// The route of review actions. Pure.

import { accounts, defineRoute, nounRoutes } from "../../route.ts";
import { reviewActionSchema } from "./review-action.ts";

export const reviewActionRoutes = nounRoutes("reviewActions", "Changesets", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/review-actions/{actionID}", {
    callers: accounts,
    repeat: "safe",
    answer: reviewActionSchema,
    summary: "Read what waits for the owner about a changeset",
    description:
      "An AI client or a run that may not accept a changeset is answered with the address of such an action. It is an approval: the owner decides it at `approve_url`, or by `/v1/approvals/{approvalID}`, which takes the same id.",
    scopes: ["workspaces:read"],
    answers: { 200: "The review action." },
  }),
});
