// Review actions: things of a workspace that wait for the owner, under /v1/workspaces/{workspaceID}/review-actions. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object } from "../field.ts";
import { accounts, defineRoute, nounRoutes } from "../route.ts";
import { APPROVAL_ID, CHANGESET_ID, LATER_REVISION_ID, REVISION_ID, WORKSPACE_ID } from "../story.ts";
import { evidenceSchema } from "./changesets/changeset.ts";

const reviewActionStates = ["waiting", "approved", "denied", "expired", "resolved_elsewhere"] as const;

export const reviewActionSchema = object({
  id: field(z.uuid(), "The action's id, which is that of its approval."),
  workspace_id: field(z.uuid(), "The workspace."),
  kind: field(z.literal("accept_changeset"), "What is done once it is approved."),
  state: field(
    z.enum(reviewActionStates),
    "`waiting` until it is decided. `resolved_elsewhere`: the changeset was decided without it.",
  ),
  approve_url: field(z.url(), "Where the owner decides it."),
  changeset_id: field(z.uuid(), "The changeset."),
  revision_id: field(z.uuid(), "What it proposes."),
  expected_current_revision: field(
    z.uuid(),
    "The revision that was current when it was asked for: another one cannot be approved.",
  ),
  resolved_revision_id: field(
    z.nullable(z.uuid()),
    "A revision that has the changeset's conflicts settled. Null: it has none.",
  ),
  title: field(z.string(), "What the changeset is about."),
  validation_evidence: field(evidenceSchema, "How it was validated."),
  created_at: field(z.iso.datetime(), "When it was asked for."),
  expires_at: field(z.iso.datetime(), "Until when it can be decided."),
  decided_at: field(z.nullable(z.iso.datetime()), "When it was decided. Null until then."),
});
export type ReviewActionView = z.infer<typeof reviewActionSchema>;

export const reviewActionComponents: Components = {
  ReviewAction: component(reviewActionSchema, "What somebody asked for and only the owner may do."),
};

export const reviewActionRoutes = nounRoutes("reviewActions", "Changesets", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/review-actions/{actionID}", {
    callers: accounts,
    role: "viewer",
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
