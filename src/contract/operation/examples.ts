// Examples of health. Pure.

import type { ExamplesOf } from "../examples.ts";
import type { operationRoutes } from "./routes.ts";

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
