// The routes of retention. Pure.

import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import { pageQueryTexts } from "../record.ts";
import { createPinRequestSchema, pinSchema, retentionQuerySchema, retentionSchema } from "./retention.ts";

const MAX_BODY_BYTES = 64 * 1024;

export const retentionRoutes = nounRoutes("retention", "Copies and revisions", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/retention", {
    callers: accounts,
    repeat: "safe",
    answer: retentionSchema,
    summary: "Read what is going to be deleted, what is pinned, or what is kept",
    description:
      "A revision that was never accepted, that nothing builds on and no pin keeps is deleted some time after it was made; what is in the trash some time after it was put there.",
    scopes: ["workspaces:read"],
    query: query(retentionQuerySchema, {
      view: "`cleanup`: what is going to be deleted, the first first. `pins`: what keeps revisions. `usage`: how much is kept.",
      ...pageQueryTexts,
    }),
    answers: { 200: "What the view shows. A union on `view`." },
  }),
  createPin: defineRoute("POST /v1/workspaces/{workspaceID}/retention/pins", {
    callers: accounts,
    repeat: "keyed",
    answer: pinSchema,
    summary: "Keep a revision",
    description: "Needs the header Idempotency-Key. A pinned revision is not deleted, by nobody.",
    scopes: ["workspaces:write"],
    body: jsonBody(createPinRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The pin." },
    refusals: [409],
  }),
  deletePin: defineRoute("DELETE /v1/workspaces/{workspaceID}/retention/pins/{pinID}", {
    callers: accounts,
    repeat: "safe",
    answer: pinSchema,
    summary: "Let a revision go again",
    scopes: ["workspaces:write"],
    answers: { 200: "The pin that is no more." },
  }),
});
