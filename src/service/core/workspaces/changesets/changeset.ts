// A changeset: a revision that somebody proposes to be accepted, as it is stored. Times are milliseconds since the epoch. Pure.
//
//   open → accepted | rejected | conflicted;  conflicted → accepted | rejected
//
// Why: docs/decisions/077-changesets.md

import type { ChangesetStatus, Evidence } from "../../../../contract/workspaces/changesets/changeset.ts";
import type { MergeConflict } from "../../checkouts/git-scratch.ts";
import type { Actor } from "../actor.ts";

export type Changeset = {
  readonly id: string;
  readonly workspaceId: string;
  readonly status: ChangesetStatus;
  readonly title: string;
  readonly summary: string;
  /** The copy that it was made of. Null: it was made of a revision. */
  readonly copyId: string | null;
  /** The proposed revision. It stays the same. */
  readonly revisionId: string;
  /** The revision at which it and the accepted ones went apart. */
  readonly baseRevisionId: string;
  /** The current revision that it was last merged with: `conflicts` is what came of it. */
  readonly targetRevisionId: string;
  /** The count of its changes, against its base. */
  readonly files: number;
  /** Lines. Null where the files are too large to be compared. */
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly conflicts: readonly MergeConflict[];
  readonly evidence: Evidence | null;
  readonly rejectReason: string | null;
  readonly acceptedRevisionId: string | null;
  readonly taskGroupId: string | null;
  readonly createdBy: Actor;
  readonly createdAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: Actor | null;
};

/** Whether it can still be accepted or rejected. */
export function isUndecided({ status }: Pick<Changeset, "status">): boolean {
  return status === "open" || status === "conflicted";
}
