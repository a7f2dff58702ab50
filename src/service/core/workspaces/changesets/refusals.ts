// Why a changeset is not made, found or decided. Pure.

import type { ChangesetStatus } from "../../../../contract/workspaces/changesets/changeset.ts";
import type { ClassRefusal } from "../../accounts/refusals.ts";
import type { ScratchRefusal } from "../../checkouts/git-scratch.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
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
