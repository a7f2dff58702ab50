// The route of review actions. Pure.

import { defineRoute, nounRoutes } from "../../route.ts";
import { reviewActionEndpoints } from "./endpoints.ts";

export const reviewActionRoutes = nounRoutes("reviewActions", "Changesets", {
  get: defineRoute(reviewActionEndpoints.get, {
    summary: "Read what waits for the owner about a changeset",
    description:
      "An AI client or a run that may not accept a changeset is answered with the address of such an action. It is an approval: the owner decides it at `approve_url`, or by `/v1/approvals/{approvalID}`, which takes the same id.",
    scopes: ["workspaces:read"],
    answers: { 200: "The review action." },
  }),
});
