// The routes of retention. Pure.

import { defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import { pageQueryTexts } from "../record.ts";
import { retentionEndpoints } from "./endpoints.ts";
import { createPinRequestSchema, retentionQuerySchema } from "./retention.ts";

const MAX_BODY_BYTES = 64 * 1024;

export const retentionRoutes = nounRoutes("retention", "Copies and revisions", {
  get: defineRoute(retentionEndpoints.get, {
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
  createPin: defineRoute(retentionEndpoints.createPin, {
    summary: "Keep a revision",
    description: "Needs the header Idempotency-Key. A pinned revision is not deleted, by nobody.",
    scopes: ["workspaces:write"],
    body: jsonBody(createPinRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The pin." },
    refusals: [409],
  }),
  deletePin: defineRoute(retentionEndpoints.deletePin, {
    summary: "Let a revision go again",
    scopes: ["workspaces:write"],
    answers: { 200: "The pin that is no more." },
  }),
});
