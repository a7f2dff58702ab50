// Examples of adoptions. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { AGENT_ID, OPERATION_ID, REVISION_ID, WORKSPACE_ID } from "../../story.ts";
import type { adoptionRoutes } from "./routes.ts";

const adoption = {
  agent_id: AGENT_ID,
  status: "ready" as const,
  sha: "9c1185a5c5e9fc54612808977ee8f548b2258d31",
  objects: 431,
  bytes: 1_204_880,
  revision_id: REVISION_ID,
  operation_id: OPERATION_ID,
  error: null,
  created_at: "2026-03-09T10:00:00.000Z",
  ended_at: "2026-03-09T10:00:04.000Z",
};
const operation = {
  id: OPERATION_ID,
  workspace_id: WORKSPACE_ID,
  progress: {},
  created_at: "2026-03-09T10:00:00.000Z",
};
const ended = { ended_at: "2026-03-09T10:05:00.000Z", result: { revision_id: REVISION_ID } };

export const adoptionExamples: ExamplesOf<typeof adoptionRoutes> = {
  start: {
    body: { adopt: { summary: "The repository of an agent", value: { agent_id: AGENT_ID } } },
    answers: {
      202: {
        adopting: { summary: "It is adopted", value: { ...operation, kind: "adopt", status: "running" } },
      },
    },
  },
  get: { answers: { 200: { adoption: { summary: "It is adopted", value: adoption } } } },
  cancel: {
    answers: {
      200: {
        adoptionCancelled: {
          summary: "It was cancelled",
          value: { ...adoption, status: "cancelled", revision_id: null },
        },
      },
    },
  },
  rollback: {
    answers: {
      202: {
        rolledBack: {
          summary: "It is undone",
          value: { ...operation, ...ended, kind: "rollback_adoption", status: "succeeded" },
        },
      },
    },
  },
};
