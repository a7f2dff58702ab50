// Why a request to a workspace is refused, whichever part of it is meant. Pure.

export type WorkspaceRefusal =
  | { readonly reason: "workspace_not_found"; readonly workspaceId: string }
  | { readonly reason: "workspace_of_another"; readonly workspaceId: string };

/** The account has as many workspaces as its plan allows. */
export type WorkspaceCapRefusal = {
  readonly reason: "workspace_cap_reached";
  readonly workspaces: number;
  readonly allowed: number;
};

/** The operator serves no files of workspaces. */
export type FilesClosedRefusal = { readonly reason: "workspaces_not_admitted"; readonly what: "files" };

/** What changes a workspace, or makes new work for it. */
export type WorkRefusal =
  | FilesClosedRefusal
  | { readonly reason: "workspaces_not_admitted"; readonly what: "workspaces" }
  | { readonly reason: "workspace_erasing"; readonly workspaceId: string }
  | { readonly reason: "storage_adopting"; readonly workspaceId: string };

/** A run writes in the copy: nobody else does. */
export type CopyHeldRefusal = {
  readonly reason: "copy_held";
  readonly copyId: string;
  readonly runId: string;
};

/** A run works in the workspace, or is going to. */
export type WorkspaceHeldRefusal = {
  readonly reason: "workspace_held";
  readonly workspaceId: string;
  readonly runId: string;
};

/** Only the owner in person does this: `url` is where. */
export type OwnerNeededRefusal = {
  readonly reason: "owner_needed";
  readonly what: string;
  readonly url: string;
  /** Where the owner approves this very request. Absent where nothing waits for that. */
  readonly approveUrl?: string;
};

export type ManagerRefusal =
  /** Null was named: every workspace has a manager. */
  { readonly reason: "manager_missing" };

/** The agent is a member of no workspace. */
export type NoWorkspaceRefusal = { readonly reason: "agent_without_workspace"; readonly agentId: string };

/** Something is not done with a copy. */
export type CopyRefusal =
  | { readonly reason: "copy_not_found"; readonly copyId: string }
  /** The canonical copy goes with its workspace alone. */
  | { readonly reason: "copy_canonical"; readonly workspaceId: string };

/** A run of a workspace is not taken. */
export type WorkspaceRunRefusal =
  /** Runs do not write the accepted files. */
  | { readonly reason: "run_in_canonical"; readonly copyId: string }
  /** A task group was named, and no copy. */
  | { readonly reason: "worker_without_copy" }
  | { readonly reason: "session_of_no_workspace"; readonly sessionId: string; readonly workspaceId: string };
