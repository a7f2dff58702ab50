// The routes of adoptions. Pure.

import { accounts, defineRoute, jsonBody, nounRoutes, owners } from "../../route.ts";
import { operationSchema } from "../operations/operation.ts";
import { adoptionSchema, adoptRequestSchema } from "./adoption.ts";

const MAX_BODY_BYTES = 64 * 1024;

export const adoptionRoutes = nounRoutes("adoption", "Workspaces", {
  start: defineRoute("POST /v1/workspaces/{workspaceID}/storage/adopt", {
    callers: owners,
    repeat: "keyed",
    answer: operationSchema,
    summary: "Fill a workspace with the files of an agent's repository",
    description:
      "Needs the header Idempotency-Key. The workspace has no files yet. What is adopted is the commit `sha`, or the one that the agent's newest run from CI worked on. Nobody writes to the workspace meanwhile. Only the owner may.",
    body: jsonBody(adoptRequestSchema, MAX_BODY_BYTES),
    answers: { 202: { description: "The operation that adopts.", headers: ["Location"] } },
    refusals: [409],
  }),
  get: defineRoute("GET /v1/workspaces/{workspaceID}/storage/adoption", {
    callers: accounts,
    repeat: "safe",
    answer: adoptionSchema,
    summary: "Read how far the workspace's newest adoption is",
    scopes: ["workspaces:read"],
    answers: { 200: "The adoption." },
  }),
  cancel: defineRoute("POST /v1/workspaces/{workspaceID}/storage/adoption/cancel", {
    callers: accounts,
    repeat: "safe",
    answer: adoptionSchema,
    summary: "Cancel a running adoption",
    description: "The workspace is as it was before. Safe to repeat.",
    scopes: ["workspaces:write"],
    answers: { 200: "The adoption." },
    refusals: [409],
  }),
  rollback: defineRoute("POST /v1/workspaces/{workspaceID}/storage/adoption/rollback", {
    callers: owners,
    repeat: "safe",
    answer: operationSchema,
    summary: "Undo an adoption after which nothing was accepted and nothing written to canonical files",
    description: "The revision that was adopted stays, and is not current any more. Only the owner may.",
    answers: { 202: { description: "The operation, which has ended.", headers: ["Location"] } },
    refusals: [409],
  }),
});
