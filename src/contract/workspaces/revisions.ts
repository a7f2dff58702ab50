// Revisions of a workspace, and their routes under /v1/workspaces/{workspaceID}/revisions. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object, strictObject } from "../field.ts";
import { accounts, defineRoute, nounRoutes, query } from "../route.ts";
import { LATER_REVISION_ID, REVISION_ID, WORKSPACE_ID } from "../story.ts";
import { actorSchema, listOf, pageQuery } from "./record.ts";

export const revisionSchema = object({
  id: field(z.uuid(), "The revision's id."),
  workspace_id: field(z.uuid(), "The workspace's id."),
  commit: field(z.string(), "Its commit, as git names it."),
  tree: field(z.string(), "Its tree, as git names it."),
  parent_ids: field(
    z.array(z.uuid()),
    "The revisions that it was made from. Of an accepted one the first is the one that was current before.",
  ),
  message: field(z.string(), "What was changed, in its author's words."),
  author: field(actorSchema, "Who made it."),
  files: field(z.int(), "How many files it has."),
  bytes: field(z.int(), "The size of all its files."),
  pinned: field(z.boolean(), "Whether a retention pin keeps it."),
  created_at: field(z.iso.datetime(), "When it was made."),
  accepted_at: field(
    z.nullable(z.iso.datetime()),
    "When it became the current revision; null where it never did.",
  ),
});
/** The files of a copy as they were once. Never changed. */
export type RevisionView = z.infer<typeof revisionSchema>;

export const revisionListSchema = listOf(revisionSchema, "The revisions.");

export const listRevisionsQuerySchema = strictObject({
  ...pageQuery,
  accepted: field(
    z.optional(z.enum(["true", "false"])),
    "`true`: only revisions that were accepted; `false`: only those that never were.",
  ),
});

export const revisionComponents: Components = {
  Revision: component(
    revisionSchema,
    "All files of a copy as they were once: saved, and not necessarily accepted.",
  ),
  RevisionList: component(revisionListSchema, "A page of revisions, newest first."),
};

export const revisionRoutes = nounRoutes("revisions", "Copies and revisions", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/revisions", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: revisionListSchema,
    summary: "List a workspace's revisions, newest first",
    scopes: ["workspaces:read"],
    query: query(listRevisionsQuerySchema),
    answers: { 200: "A page of revisions." },
  }),
  get: defineRoute("GET /v1/workspaces/{workspaceID}/revisions/{revisionID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: revisionSchema,
    summary: "Read a revision",
    scopes: ["workspaces:read"],
    answers: { 200: "The revision." },
  }),
  bundle: defineRoute("GET /v1/workspaces/{workspaceID}/revisions/{revisionID}/bundle", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: "bytes",
    summary: "Download a revision with its history, as a file for `git clone`",
    description: "The revision is its branch `main`.",
    scopes: ["workspaces:read"],
    answers: {
      200: {
        description: "A bundle, as `git bundle` writes it.",
        headers: ["Content-Disposition"],
        type: "application/x-git-bundle",
      },
    },
    refusals: [413],
  }),
  delete: defineRoute("DELETE /v1/workspaces/{workspaceID}/revisions/{revisionID}", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: revisionSchema,
    summary: "Delete a revision",
    description:
      "Refused while it is the current one, pinned, what a copy or an open changeset builds on, or what the site shows. Revisions that were made from it then name its parents as theirs; their history, as git sees it, stays whole.",
    scopes: ["workspaces:write"],
    answers: { 200: "The revision that is no more." },
    refusals: [409],
  }),
});

const savedRevision = {
  id: LATER_REVISION_ID,
  workspace_id: WORKSPACE_ID,
  commit: "5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5f60718a9",
  tree: "9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a291807",
  parent_ids: [REVISION_ID],
  message: "Explain how to start",
  author: { type: "owner" as const },
  files: 12,
  bytes: 48_310,
  pinned: false,
  created_at: "2026-03-09T10:12:00.000Z",
  accepted_at: null,
};

export const revisionExamples: ExamplesOf<typeof revisionRoutes> = {
  list: {
    answers: {
      200: {
        revisionList: { summary: "One revision", value: { items: [savedRevision], next_cursor: "" } },
      },
    },
  },
  bundle: {},
  delete: { answers: { 200: { revisionDeleted: { summary: "It is deleted", value: savedRevision } } } },
  get: { answers: { 200: { revision: { summary: "A saved revision", value: savedRevision } } } },
};
