// Examples of review actions. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { APPROVAL_ID, CHANGESET_ID, LATER_REVISION_ID, REVISION_ID, WORKSPACE_ID } from "../../story.ts";
import type { reviewActionRoutes } from "./routes.ts";

export const reviewActionExamples: ExamplesOf<typeof reviewActionRoutes> = {
  get: {
    answers: {
      200: {
        reviewAction: {
          summary: "An AI client wants a changeset accepted",
          value: {
            id: APPROVAL_ID,
            workspace_id: WORKSPACE_ID,
            kind: "accept_changeset",
            state: "waiting",
            approve_url: `https://agent-service.example/approve/${APPROVAL_ID}`,
            changeset_id: CHANGESET_ID,
            revision_id: LATER_REVISION_ID,
            expected_current_revision: REVISION_ID,
            resolved_revision_id: null,
            title: "Say hello in German",
            validation_evidence: "All 214 tests pass.",
            created_at: "2026-03-09T10:25:00.000Z",
            expires_at: "2026-03-16T10:25:00.000Z",
            decided_at: null,
          },
        },
      },
    },
  },
};
