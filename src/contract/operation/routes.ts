// An operator's routes: health and metrics. Pure.

import { defineRoute, nounRoutes } from "../route.ts";
import { operationEndpoints } from "./endpoints.ts";

export const operationRoutes = nounRoutes("operation", "Operating the service", {
  metrics: defineRoute(operationEndpoints.metrics, {
    summary: "Read what the service counts, for Prometheus",
    description: "404 where the operator has switched metrics off.",
    rate: "none",
    cacheControl: "no-store",
    answers: { 200: "The metrics." },
    refusals: [404],
  }),
  health: defineRoute(operationEndpoints.health, {
    summary: "Check that the process runs",
    rate: "none",
    answers: { 200: "It runs." },
  }),
  readiness: defineRoute(operationEndpoints.readiness, {
    summary: "Check that the service can do its work",
    rate: "none",
    answers: { 200: "It can.", 503: "It is stopping, or its store does not answer or is full." },
  }),
});
