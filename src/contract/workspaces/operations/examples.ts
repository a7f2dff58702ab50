// Examples of operations. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { COPY_ID, LATER_REVISION_ID, OPERATION_ID, WORKSPACE_ID } from "../../story.ts";
import type { operationRoutes } from "./routes.ts";

const operation = {
  id: OPERATION_ID,
  workspace_id: WORKSPACE_ID,
  progress: {},
  created_at: "2026-03-09T10:12:00.000Z",
};

export const savedOperation = {
  ...operation,
  kind: "checkpoint" as const,
  status: "succeeded" as const,
  result: { revision_id: LATER_REVISION_ID, unchanged: false },
  ended_at: "2026-03-09T10:12:00.040Z",
};

export const copiedOperation = {
  ...operation,
  kind: "create_copy" as const,
  status: "succeeded" as const,
  result: { working_copy_id: COPY_ID },
  ended_at: "2026-03-09T10:12:00.000Z",
};

export const deletingOperation = {
  ...operation,
  kind: "delete_copy" as const,
  status: "running" as const,
};

export const operationExamples: ExamplesOf<typeof operationRoutes> = {
  get: {
    answers: {
      200: {
        operationSucceeded: { summary: "A checkpoint has made a revision", value: savedOperation },
        operationRunning: { summary: "A copy is being deleted", value: deletingOperation },
        operationFailed: {
          summary: "A run took the copy before it could be saved",
          value: {
            ...operation,
            kind: "checkpoint",
            status: "failed",
            error: {
              code: "copy_held",
              error: `Run 0198d2c4-5b7a-7c31-9e42-6d1f0a8b3c55 is at work in copy ${COPY_ID}. Wait until it has ended, or cancel it.`,
            },
            ended_at: "2026-03-09T10:12:01.000Z",
          },
        },
      },
    },
  },
};
