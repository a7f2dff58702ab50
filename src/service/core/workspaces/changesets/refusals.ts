// Refusals to make, find or decide a changeset, and their problems. Pure.

import type { ChangesetStatus } from "../../../../contract/workspaces/changesets/changeset.ts";
import type { OwnerNeededRefusal } from "../../accounts/refusals.ts";
import type { ScratchRefusal } from "../../checkouts/git-scratch.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import {
  conflict,
  invalidRequest,
  notFound,
  type ProblemTable,
  type PublicProblem,
  type RefusalOf,
} from "../../ports/problem.ts";
import type { PathCollision } from "../paths/portable-path.ts";
import type { CopyHeldRefusal, CopyRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { RevisionRefusal } from "../revisions/refusals.ts";

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
  | OwnerNeededRefusal
  | KeyInFlightRefusal
  | KeyReusedRefusal;

type Scratch<Reason> = Extract<ScratchRefusal, { readonly reason: Reason }>;

const MEGABYTE = 1_000_000;

const RETRY_SECONDS = 2;

const sizes = {
  objects: (allowed: number) => `${allowed.toLocaleString("en-US")} files and folders`,
  bytes: (allowed: number) => `${(allowed / MEGABYTE).toLocaleString("en-US")} MB`,
} as const;

const moved = (message: string, fields: NonNullable<PublicProblem["fields"]>): PublicProblem => ({
  status: 409,
  code: "current_revision_conflict",
  message,
  fields,
});

const resolutionProblems = {
  resolution_malformed: () =>
    invalidRequest('Conflicts are settled by "resolutions" or by "resolved_revision_id": give one of them.'),
  resolution_needed: ({ current, paths }: { current: string; paths: readonly string[] }) => ({
    status: 409,
    code: "changeset_conflicted",
    message: `${paths.length} paths in conflict have no resolution. Give one for each path that "paths" names.`,
    fields: { current_revision: current, paths },
  }),
  resolution_unknown: ({ paths }: { paths: readonly string[] }) =>
    invalidRequest(`No conflict is at these paths: ${paths.map((path) => JSON.stringify(path)).join(", ")}.`),
  resolution_clash: ({ file, below }: { file: string; below: string }) =>
    invalidRequest(
      `With these resolutions ${JSON.stringify(file)} is a file, and ${JSON.stringify(below)} lies in it.`,
    ),
  resolution_behind: ({ revisionId, current }: { revisionId: string; current: string }) =>
    moved(
      `Revision ${revisionId} was not made from the current revision ${current}: its files would undo what was accepted since. Make a copy of the current revision, settle the conflicts in it and save it.`,
      { current_revision: current },
    ),
} satisfies ProblemTable;

export const changesetProblems = {
  ...resolutionProblems,
  changeset_not_found: ({ changesetId }: { changesetId: string }) =>
    notFound(`The workspace has no changeset ${changesetId}.`),
  changeset_source_malformed: () =>
    invalidRequest('A changeset is made of "working_copy_id" or of "revision_id": name one of them.'),
  changeset_empty: ({ revisionId }: { revisionId: string }) =>
    invalidRequest(`Revision ${revisionId} changes nothing: what it holds is accepted already.`),
  copy_unsaved: ({ copyId, files }: { copyId: string; files: number }) =>
    conflict(
      "copy_unsaved",
      `Copy ${copyId} has ${files} changed files that are not saved. Make a checkpoint of it first.`,
    ),
  changeset_decided: ({ changesetId, status }: { changesetId: string; status: ChangesetStatus }) =>
    conflict("changeset_decided", `Changeset ${changesetId} is ${status} already.`),
  current_revision_moved: ({ expected, current }: { expected: string; current: string }) =>
    moved(
      `The current revision is ${current}, the request expects ${expected}. Read what has changed, validate the changeset with it, and repeat the request with the current one.`,
      { current_revision: current },
    ),
  canonical_unsaved: ({ current, paths }: { current: string; paths: readonly string[] }) =>
    moved(
      "The canonical files were changed at paths that the changeset changes, and are not saved. Make a checkpoint of the canonical files first.",
      { current_revision: current, paths },
    ),
  changeset_conflicted: (refusal: { changesetId: string; current: string; paths: readonly string[] }) => ({
    status: 409,
    code: "changeset_conflicted",
    message: `Changeset ${refusal.changesetId} and the current revision change the same. Resolve its conflicts, or reject it.`,
    fields: { current_revision: refusal.current, paths: refusal.paths },
  }),
  review_action_not_found: ({ actionId }: { actionId: string }) =>
    notFound(`The workspace has no review action ${actionId}.`),
  scratch_too_large: ({ what, allowed }: Scratch<"scratch_too_large">) => ({
    status: 413,
    code: "body_too_large",
    message: `What differs between the revisions is more than the ${sizes[what](allowed)} that this service merges.`,
  }),
  scratch_timed_out: ({ allowedMs }: Scratch<"scratch_timed_out">) => ({
    status: 503,
    code: "unavailable",
    message: `Git took longer than the ${allowedMs / 1_000} s that this service allows for a merge.`,
    retryAfterSeconds: RETRY_SECONDS,
  }),
} satisfies ProblemTable;

export type ChangesetRefusal = RefusalOf<typeof changesetProblems, "changeset_not_found">;

export type ChangesetSourceRefusal =
  | RefusalOf<typeof changesetProblems, "changeset_source_malformed" | "copy_unsaved" | "changeset_empty">
  | CopyRefusal
  | RevisionRefusal;

export type ChangesetDecidedRefusal = RefusalOf<typeof changesetProblems, "changeset_decided">;

/** The current revision, or what is not saved of the canonical copy, is another than the caller has seen. */
export type CurrentRevisionRefusal = RefusalOf<
  typeof changesetProblems,
  "current_revision_moved" | "canonical_unsaved"
>;

export type ConflictRefusal = RefusalOf<typeof changesetProblems, "changeset_conflicted">;

export type ResolutionRefusal = RefusalOf<typeof resolutionProblems>;

export type ReviewActionRefusal = RefusalOf<typeof changesetProblems, "review_action_not_found">;
