// An operator's routes: health. Pure.

import { defineRoute, everybody, nounRoutes } from "../route.ts";
import { healthSchema } from "./health.ts";

export const operationRoutes = nounRoutes("operation", "Operating the service", {
  health: defineRoute("GET /healthz", {
    callers: everybody,
    repeat: "safe",
    answer: healthSchema,
    summary: "Check that the process runs",
    rate: "none",
    answers: { 200: "It runs." },
  }),
  readiness: defineRoute("GET /readyz", {
    callers: everybody,
    repeat: "safe",
    answer: healthSchema,
    summary: "Check that the service can do its work",
    rate: "none",
    answers: {
      200: "It can.",
      503: "It is stopping, its store does not answer or is full, or it does not see the blobs of its store.",
    },
  }),
});
