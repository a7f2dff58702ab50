// Why something is not done with a copy. Pure.

export type CopyRefusal =
  | { readonly reason: "copy_not_found"; readonly copyId: string }
  /** The canonical copy goes with its workspace alone. */
  | { readonly reason: "copy_canonical"; readonly workspaceId: string };
