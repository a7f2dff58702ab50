// Why a run of a workspace is not taken. Pure.

export type WorkspaceRunRefusal =
  /** Runs do not write the accepted files. */
  | { readonly reason: "run_in_canonical"; readonly copyId: string }
  /** A task group was named, and no copy. */
  | { readonly reason: "worker_without_copy" }
  | { readonly reason: "session_of_no_workspace"; readonly sessionId: string; readonly workspaceId: string };
