// The routes of retention, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../../component.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import {
  cleanupItemSchema,
  createPinRequestSchema,
  pinSchema,
  retentionQuerySchema,
  retentionSchema,
} from "./retention.ts";

export const retentionComponents: Components = {
  RetentionPin: component(pinSchema, "What keeps a revision from being deleted."),
  CleanupItem: component(cleanupItemSchema, "What is going to be deleted. A union on `kind`."),
  Retention: component(retentionSchema, "What of a workspace is kept. A union on `view`."),
  CreatePinRequest: component(createPinRequestSchema, "A revision to keep."),
};

const MAX_BODY_BYTES = 64 * 1024;

export const retentionRoutes = nounRoutes("retention", "Copies and revisions", {
  get: defineRoute("GET /v1/workspaces/{workspaceID}/retention", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: retentionSchema,
    summary: "Read what is going to be deleted, what is pinned, or what is kept",
    description:
      "A revision that was never accepted, that nothing builds on and no pin keeps is deleted some time after it was made; what is in the trash some time after it was put there.",
    scopes: ["workspaces:read"],
    query: query(retentionQuerySchema),
    answers: { 200: "What the view shows. A union on `view`." },
  }),
  createPin: defineRoute("POST /v1/workspaces/{workspaceID}/retention/pins", {
    callers: accounts,
    role: "member",
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
    role: "member",
    repeat: "safe",
    answer: pinSchema,
    summary: "Let a revision go again",
    scopes: ["workspaces:write"],
    answers: { 200: "The pin that is no more." },
  }),
});
