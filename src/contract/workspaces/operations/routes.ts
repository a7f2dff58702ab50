// The routes of operations. Pure.

import { accounts, defineRoute, nounRoutes, query } from "../../route.ts";
import { operationQuerySchema, operationSchema } from "./operation.ts";

export const operationRoutes = nounRoutes("operations", "Copies and revisions", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/operations/{operationID}", {
    callers: accounts,
    repeat: "safe",
    answer: operationSchema,
    summary: "Read an operation, or wait for its end",
    description:
      "What answers 202 names its operation in the header Location. An operation is kept for 30 days after its end, also when its workspace is deleted.",
    scopes: ["workspaces:read"],
    query: query(operationQuerySchema, {
      wait: "Seconds to wait for the operation's end, where it has not ended.",
    }),
    answers: {
      200: {
        description: "The operation. Retry-After comes with one that goes on.",
        headers: ["Retry-After"],
      },
    },
  }),
});
