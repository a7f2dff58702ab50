// Why something is not done with a revision. Pure.

/** What needs a revision. */
export type RevisionUse = "current" | "pin" | "copy" | "changeset" | "site" | "adoption";

export type RevisionRefusal = { readonly reason: "revision_not_found"; readonly revisionId: string };

export type RevisionInUseRefusal = {
  readonly reason: "revision_in_use";
  readonly revisionId: string;
  readonly use: RevisionUse;
};
