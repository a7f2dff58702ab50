// The routes of changesets, and their schemas by the names that the document gives them. Pure.

import { type Components, component } from "../../component.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, optionalJsonBody, query } from "../../route.ts";
import {
  acceptChangesetRequestSchema,
  changesetDetailSchema,
  changesetListSchema,
  changesetSchema,
  createChangesetRequestSchema,
  getChangesetQuerySchema,
  listChangesetsQuerySchema,
  rejectChangesetRequestSchema,
  resolveChangesetRequestSchema,
} from "./changeset.ts";

export const changesetComponents: Components = {
  Changeset: component(changesetSchema, "A revision that is proposed to be accepted."),
  ChangesetDetail: component(
    changesetDetailSchema,
    "A changeset, with what it changes where that was asked for.",
  ),
  ChangesetList: component(changesetListSchema, "A page of changesets, newest first."),
  CreateChangesetRequest: component(
    createChangesetRequestSchema,
    "What is proposed: a copy or a revision, not both.",
  ),
  RejectChangesetRequest: component(rejectChangesetRequestSchema, "Why it is rejected."),
  AcceptChangesetRequest: component(acceptChangesetRequestSchema, "What was seen and validated."),
  ResolveChangesetRequest: component(
    resolveChangesetRequestSchema,
    "How the conflicts are settled: path by path, or by a revision.",
  ),
};

const MAX_BODY_BYTES = 256 * 1024;
const MAX_RESOLVE_BYTES = 8 * 1024 * 1024;

export const changesetRoutes = nounRoutes("changesets", "Changesets", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/changesets", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: changesetListSchema,
    summary: "List a workspace's changesets, newest first",
    scopes: ["workspaces:read"],
    query: query(listChangesetsQuerySchema),
    answers: { 200: "A page of changesets." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/changesets", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: changesetSchema,
    summary: "Propose a revision to be accepted",
    description:
      "Names a working copy, whose saved revision is taken, or a revision. A copy with changes that are not saved is refused with 409 `copy_unsaved`: make a checkpoint first. The changeset is merged with the current revision to see whether it has conflicts; nothing is accepted.",
    scopes: ["workspaces:write"],
    body: jsonBody(createChangesetRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The changeset." },
    refusals: [409],
  }),
  get: defineRoute("GET /v1/workspaces/{workspaceID}/changesets/{changesetID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: changesetDetailSchema,
    summary: "Read a changeset",
    description:
      "An undecided one is merged with the current revision as it is now. With `patch=true` the answer has what it changes as a unified diff.",
    scopes: ["workspaces:read"],
    query: query(getChangesetQuerySchema),
    answers: { 200: "The changeset." },
  }),
  reject: defineRoute("POST /v1/workspaces/{workspaceID}/changesets/{changesetID}/reject", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: changesetSchema,
    summary: "Reject a changeset",
    description: "Its revision stays. An AI client may reject, too.",
    scopes: ["workspaces:write"],
    body: optionalJsonBody(rejectChangesetRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The changeset." },
    refusals: [409],
  }),
  accept: defineRoute("POST /v1/workspaces/{workspaceID}/changesets/{changesetID}/accept", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: changesetSchema,
    summary: "Accept a changeset: its changes become part of the current revision",
    description:
      "Needs the current revision as the caller has seen it, and evidence that the changes were validated. Another current revision is refused with 409 `current_revision_conflict`, conflicts with 409 `changeset_conflicted`. Only the owner may accept: an AI client gets 403 with a link for the owner.",
    scopes: ["workspaces:write"],
    body: jsonBody(acceptChangesetRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The changeset, accepted." },
    refusals: [409],
  }),
  resolve: defineRoute("POST /v1/workspaces/{workspaceID}/changesets/{changesetID}/resolve", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: changesetSchema,
    summary: "Settle a changeset's conflicts and accept it",
    description:
      "Says for every path in conflict what is to be there: what the current revision has (`ours`), what the changeset has (`theirs`), or new text. Or names a revision that was made from the current one and has everything settled. Only the owner may.",
    scopes: ["workspaces:write"],
    body: jsonBody(resolveChangesetRequestSchema, MAX_RESOLVE_BYTES),
    answers: { 200: "The changeset, accepted." },
    refusals: [409],
  }),
});
