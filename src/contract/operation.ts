// GET /healthz and /readyz. Pure.

import * as z from "zod/mini";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object } from "./field.ts";
import { defineRoute, everybody, nounRoutes } from "./route.ts";

export const healthSchema = object({
  status: field(
    z.enum(["ok", "draining", "unavailable", "storage_full", "blobs_missing"]),
    "`ok`, `draining` while it stops, `unavailable` while its store does not answer, `storage_full` while it has no room for what it has to write, `blobs_missing` while it does not see the blobs of its store: other nodes keep them elsewhere, or they are lost.",
  ),
  storage: field(
    z.optional(z.enum(["ok", "unavailable"])),
    "Of `/readyz`, where large contents are in a bucket: `unavailable` after three calls in a row that failed, until it answers again. The node still serves what is in its store.",
  ),
  event_loop_delay_ms: field(
    z.optional(z.number()),
    "Of `/readyz`: how late the node was at most in the last seconds to do what was ready. Far above 100 it has too much to do.",
  ),
});
export type Health = z.infer<typeof healthSchema>;

export const operationComponents: Components = {
  Health: component(healthSchema, "Whether the service works."),
};

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

const healthy = { healthy: { summary: "It can work", value: { status: "ok" as const } } };

export const operationExamples: ExamplesOf<typeof operationRoutes> = {
  health: { answers: { 200: healthy } },
  readiness: {
    answers: {
      200: healthy,
      503: {
        draining: { summary: "It is stopping", value: { status: "draining" } },
        noRoom: { summary: "Its storage is full", value: { status: "storage_full" } },
        blobsElsewhere: {
          summary: "It does not see the blobs of its store",
          value: { status: "blobs_missing" },
        },
        storeSilent: { summary: "Its store does not answer", value: { status: "unavailable" } },
      },
    },
  },
};
