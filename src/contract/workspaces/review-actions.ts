// Review actions: things of a workspace that wait for the owner, under /v1/workspaces/{workspaceID}/review-actions. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { accounts, defineRoute, nounRoutes } from "../route.ts";
import { APPROVAL_ID, CHANGESET_ID, LATER_REVISION_ID, REVISION_ID, WORKSPACE_ID } from "../story.ts";
import { evidenceSchema } from "./changesets/changeset.ts";

export const reviewActionStates = ["waiting", "approved", "denied", "expired", "resolved_elsewhere"] as const;

export const reviewActionSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  kind: z.literal("accept_changeset"),
  state: z.enum(reviewActionStates),
  approve_url: z.url(),
  changeset_id: z.uuid(),
  revision_id: z.uuid(),
  expected_current_revision: z.uuid(),
  resolved_revision_id: z.nullable(z.uuid()),
  title: z.string(),
  validation_evidence: evidenceSchema,
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  decided_at: z.nullable(z.iso.datetime()),
});
export type ReviewActionView = z.infer<typeof reviewActionSchema>;

export const reviewActionComponents: Components = {
  ReviewAction: component(reviewActionSchema, "What somebody asked for and only the owner may do.", {
    id: "The action's id, which is that of its approval.",
    workspace_id: "The workspace.",
    kind: "What is done once it is approved.",
    state: "`waiting` until it is decided. `resolved_elsewhere`: the changeset was decided without it.",
    approve_url: "Where the owner decides it.",
    changeset_id: "The changeset.",
    revision_id: "What it proposes.",
    expected_current_revision:
      "The revision that was current when it was asked for: another one cannot be approved.",
    resolved_revision_id: "A revision that has the changeset's conflicts settled. Null: it has none.",
    title: "What the changeset is about.",
    validation_evidence: [
      "How it was validated.",
      { kind: "What was done.", text: "What came of it.", run_id: "The run that did it." },
    ],
    created_at: "When it was asked for.",
    expires_at: "Until when it can be decided.",
    decided_at: "When it was decided. Null until then.",
  }),
};

export const reviewActionRoutes = nounRoutes("reviewActions", "Changesets", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/review-actions/{actionID}", {
    callers: accounts,
    repeat: "safe",
    answer: reviewActionSchema,
    summary: "Read what waits for the owner about a changeset",
    description:
      "An AI client or a run that may not accept a changeset is answered with the address of such an action. It is an approval: the owner decides it at `approve_url`, or by `/v1/approvals/{approvalID}`, which takes the same id.",
    scopes: ["workspaces:read"],
    answers: { 200: "The review action." },
  }),
});

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
