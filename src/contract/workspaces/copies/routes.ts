// The routes of copies. Pure.

import { defineRoute, nounRoutes, optionalJsonBody, query } from "../../route.ts";
import { pageQueryTexts } from "../list.ts";
import { createCopyRequestSchema, listCopiesQuerySchema } from "./copy.ts";
import { copyEndpoints } from "./endpoints.ts";

const MAX_BODY_BYTES = 64 * 1024;

export const copyRoutes = nounRoutes("copies", "Copies and revisions", {
  list: defineRoute(copyEndpoints.list, {
    summary: "List a workspace's copies, newest first",
    description: "The canonical copy is one of them.",
    scopes: ["workspaces:read"],
    query: query(listCopiesQuerySchema, { ...pageQueryTexts, state: "Only copies in this state." }),
    answers: { 200: "A page of copies." },
  }),
  create: defineRoute(copyEndpoints.create, {
    summary: "Make a working copy of a revision",
    description:
      "Takes the same time however many files there are. The operation's result names the copy. The key is the header Idempotency-Key, or `idempotency_key`; the header wins.",
    scopes: ["workspaces:write"],
    body: optionalJsonBody(createCopyRequestSchema, MAX_BODY_BYTES),
    answers: {
      202: { description: "The operation that makes the copy.", headers: ["Location"] },
    },
    refusals: [409],
  }),
  get: defineRoute(copyEndpoints.get, {
    summary: "Read a copy",
    scopes: ["workspaces:read"],
    answers: { 200: "The copy." },
  }),
});
