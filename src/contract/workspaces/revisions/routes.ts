// The routes of revisions. Pure.

import { accounts, defineRoute, nounRoutes, query } from "../../route.ts";
import { pageQueryTexts } from "../record.ts";
import { listRevisionsQuerySchema, revisionListSchema, revisionSchema } from "./revision.ts";

export const revisionRoutes = nounRoutes("revisions", "Copies and revisions", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/revisions", {
    callers: accounts,
    repeat: "safe",
    answer: revisionListSchema,
    summary: "List a workspace's revisions, newest first",
    scopes: ["workspaces:read"],
    query: query(listRevisionsQuerySchema, {
      ...pageQueryTexts,
      accepted: "`true`: only revisions that were accepted; `false`: only those that never were.",
    }),
    answers: { 200: "A page of revisions." },
  }),
  get: defineRoute("GET /v1/workspaces/{workspaceID}/revisions/{revisionID}", {
    callers: accounts,
    repeat: "safe",
    answer: revisionSchema,
    summary: "Read a revision",
    scopes: ["workspaces:read"],
    answers: { 200: "The revision." },
  }),
  bundle: defineRoute("GET /v1/workspaces/{workspaceID}/revisions/{revisionID}/bundle", {
    callers: accounts,
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
