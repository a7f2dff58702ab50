// An operator's routes: health. Pure.

import { defineRoute, nounRoutes } from "../route.ts";
import { operationEndpoints } from "./endpoints.ts";

export const operationRoutes = nounRoutes("operation", "Operating the service", {
  health: defineRoute(operationEndpoints.health, {
    summary: "Check that the process runs",
    rate: "none",
    answers: { 200: "It runs." },
  }),
  readiness: defineRoute(operationEndpoints.readiness, {
    summary: "Check that the service can do its work",
    rate: "none",
    answers: {
      200: "It can.",
      503: "It is stopping, its store does not answer or is full, or it does not see the blobs of its store.",
    },
  }),
});
