// The states of a changeset, and the kinds of conflicts. Pure.

export const changesetStatuses = ["open", "conflicted", "accepted", "rejected"] as const;
export type ChangesetStatus = (typeof changesetStatuses)[number];

/** As `core/ports/git-scratch.ts` names them. */
export const conflictKinds = [
  "content",
  "binary",
  "add_add",
  "modify_delete",
  "rename_rename",
  "rename_delete",
  "rename_collision",
  "file_location",
  "file_directory",
  "mode",
  "submodule",
  "other",
] as const;
