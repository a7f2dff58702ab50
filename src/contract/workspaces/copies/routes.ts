// The routes of working copies, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../../component.ts";
import { accounts, defineRoute, nounRoutes, optionalJsonBody, query } from "../../route.ts";
import { operationSchema } from "../operations.ts";
import {
  checkpointRequestSchema,
  copyListSchema,
  copySchema,
  createCopyRequestSchema,
  listCopiesQuerySchema,
} from "./copy.ts";

export const copyComponents: Components = {
  WorkingCopy: component(
    copySchema,
    "A copy of a workspace's files: a revision, and what was written since.",
  ),
  WorkingCopyList: component(copyListSchema, "A page of copies, newest first."),
  CreateCopyRequest: component(createCopyRequestSchema, "A working copy to make."),
  CheckpointRequest: component(checkpointRequestSchema, "What to save as a revision."),
};

const MAX_BODY_BYTES = 64 * 1024;

export const copyRoutes = nounRoutes("copies", "Copies and revisions", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/copies", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: copyListSchema,
    summary: "List a workspace's copies, newest first",
    description: "The canonical copy is one of them.",
    scopes: ["workspaces:read"],
    query: query(listCopiesQuerySchema),
    answers: { 200: "A page of copies." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/copies", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: operationSchema,
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
  get: defineRoute("GET /v1/workspaces/{workspaceID}/copies/{workingCopyID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: copySchema,
    summary: "Read a copy",
    scopes: ["workspaces:read"],
    answers: { 200: "The copy." },
  }),
  delete: defineRoute("DELETE /v1/workspaces/{workspaceID}/copies/{workingCopyID}", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: operationSchema,
    summary: "Delete a working copy, with all that was not saved of it",
    description: "Its revisions stay. The canonical copy can not be deleted.",
    scopes: ["workspaces:write"],
    answers: {
      202: { description: "The operation that deletes the copy.", headers: ["Location"] },
    },
    refusals: [400, 409],
  }),
  checkpoint: defineRoute("POST /v1/workspaces/{workspaceID}/checkpoints", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: operationSchema,
    summary: "Save a working copy, or the canonical files, as a revision",
    description:
      "A revision of canonical files is accepted by that: only the owner saves them. Where nothing has changed, the operation's result names the revision that is there, with `unchanged`. The key is the header Idempotency-Key, or `idempotency_key`; the header wins.",
    scopes: ["workspaces:write"],
    body: optionalJsonBody(checkpointRequestSchema, MAX_BODY_BYTES),
    answers: {
      202: { description: "The operation that saves.", headers: ["Location"] },
    },
    refusals: [409],
  }),
});
