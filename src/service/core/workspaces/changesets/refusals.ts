// Why a changeset is not made, found or decided, and what its caller is told. Pure.

import type { ChangesetStatus } from "../../../../contract/workspaces/changesets/changeset.ts";
import type { ClassRefusal } from "../../accounts/refusals.ts";
import type { ScratchRefusal } from "../../checkouts/git-scratch.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { invalidRequest, notFound, type ProblemsOf, type PublicProblem } from "../../ports/problem.ts";
import type { PathCollision } from "../paths/portable-path.ts";
import type { CopyHeldRefusal, CopyRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { RevisionRefusal } from "../revisions/refusals.ts";

export type ChangesetRefusal = { readonly reason: "changeset_not_found"; readonly changesetId: string };

export type ChangesetSourceRefusal =
  | { readonly reason: "changeset_source_malformed" }
  | CopyRefusal
  | RevisionRefusal
  | { readonly reason: "copy_unsaved"; readonly copyId: string; readonly files: number }
  | { readonly reason: "changeset_empty"; readonly revisionId: string };

export type ChangesetDecidedRefusal = {
  readonly reason: "changeset_decided";
  readonly changesetId: string;
  readonly status: ChangesetStatus;
};

/** The current revision, or what is not saved of the canonical copy, is another than the caller has seen. */
export type CurrentRevisionRefusal =
  | { readonly reason: "current_revision_moved"; readonly expected: string; readonly current: string }
  | { readonly reason: "canonical_unsaved"; readonly current: string; readonly paths: readonly string[] };

export type ConflictRefusal = {
  readonly reason: "changeset_conflicted";
  readonly changesetId: string;
  readonly current: string;
  readonly paths: readonly string[];
};

export type ResolutionRefusal =
  | { readonly reason: "resolution_malformed" }
  | { readonly reason: "resolution_needed"; readonly current: string; readonly paths: readonly string[] }
  | { readonly reason: "resolution_unknown"; readonly paths: readonly string[] }
  | { readonly reason: "resolution_clash"; readonly file: string; readonly below: string }
  | { readonly reason: "resolution_behind"; readonly revisionId: string; readonly current: string };

export type ReviewActionRefusal = { readonly reason: "review_action_not_found"; readonly actionId: string };

export type OwnerNeeded = Extract<ClassRefusal, { readonly reason: "owner_needed" }>;

/** Of whatever decides a changeset by a tree that becomes current. */
export type DecideRefusal =
  | WorkspaceRefusal
  | WorkRefusal
  | ChangesetRefusal
  | ChangesetDecidedRefusal
  | CurrentRevisionRefusal
  | ConflictRefusal
  | CopyHeldRefusal
  | ScratchRefusal
  | PathCollision
  | OwnerNeeded
  | KeyInFlightRefusal
  | KeyReusedRefusal;

const MEGABYTE = 1_000_000;

const RETRY_SECONDS = 2;

const sizes = {
  objects: (allowed: number) => `${allowed.toLocaleString("en-US")} files and folders`,
  bytes: (allowed: number) => `${(allowed / MEGABYTE).toLocaleString("en-US")} MB`,
} as const;

const conflict = (message: string, fields: NonNullable<PublicProblem["fields"]>): PublicProblem => ({
  status: 409,
  code: "current_revision_conflict",
  message,
  fields,
});

export const changesetProblems: ProblemsOf<
  | ChangesetRefusal
  | Exclude<ChangesetSourceRefusal, CopyRefusal | RevisionRefusal>
  | ChangesetDecidedRefusal
  | CurrentRevisionRefusal
  | ConflictRefusal
  | ResolutionRefusal
  | ReviewActionRefusal
  | Extract<ScratchRefusal, { readonly reason: "scratch_too_large" | "scratch_timed_out" }>
> = {
  changeset_not_found: ({ changesetId }) => notFound(`The workspace has no changeset ${changesetId}.`),
  changeset_source_malformed: () =>
    invalidRequest('A changeset is made of "working_copy_id" or of "revision_id": name one of them.'),
  changeset_empty: ({ revisionId }) =>
    invalidRequest(`Revision ${revisionId} changes nothing: what it holds is accepted already.`),
  copy_unsaved: ({ copyId, files }) => ({
    status: 409,
    code: "copy_unsaved",
    message: `Copy ${copyId} has ${files} changed files that are not saved. Make a checkpoint of it first.`,
  }),
  changeset_decided: ({ changesetId, status }) => ({
    status: 409,
    code: "changeset_decided",
    message: `Changeset ${changesetId} is ${status} already.`,
  }),
  current_revision_moved: ({ expected, current }) =>
    conflict(
      `The current revision is ${current}, the request expects ${expected}. Read what has changed, validate the changeset with it, and repeat the request with the current one.`,
      { current_revision: current },
    ),
  canonical_unsaved: ({ current, paths }) =>
    conflict(
      "The canonical files were changed at paths that the changeset changes, and are not saved. Make a checkpoint of the canonical files first.",
      { current_revision: current, paths },
    ),
  changeset_conflicted: ({ changesetId, current, paths }) => ({
    status: 409,
    code: "changeset_conflicted",
    message: `Changeset ${changesetId} and the current revision change the same. Resolve its conflicts, or reject it.`,
    fields: { current_revision: current, paths },
  }),
  review_action_not_found: ({ actionId }) => notFound(`The workspace has no review action ${actionId}.`),
  resolution_malformed: () =>
    invalidRequest('Conflicts are settled by "resolutions" or by "resolved_revision_id": give one of them.'),
  resolution_needed: ({ current, paths }) => ({
    status: 409,
    code: "changeset_conflicted",
    message: `${paths.length} paths in conflict have no resolution. Give one for each path that "paths" names.`,
    fields: { current_revision: current, paths },
  }),
  resolution_unknown: ({ paths }) =>
    invalidRequest(`No conflict is at these paths: ${paths.map((path) => JSON.stringify(path)).join(", ")}.`),
  resolution_clash: ({ file, below }) =>
    invalidRequest(
      `With these resolutions ${JSON.stringify(file)} is a file, and ${JSON.stringify(below)} lies in it.`,
    ),
  resolution_behind: ({ revisionId, current }) =>
    conflict(
      `Revision ${revisionId} was not made from the current revision ${current}: its files would undo what was accepted since. Make a copy of the current revision, settle the conflicts in it and save it.`,
      { current_revision: current },
    ),
  scratch_too_large: ({ what, allowed }) => ({
    status: 413,
    code: "body_too_large",
    message: `What differs between the revisions is more than the ${sizes[what](allowed)} that this service merges.`,
  }),
  scratch_timed_out: ({ allowedMs }) => ({
    status: 503,
    code: "unavailable",
    message: `Git took longer than the ${allowedMs / 1_000} s that this service allows for a merge.`,
    retryAfterSeconds: RETRY_SECONDS,
  }),
};
