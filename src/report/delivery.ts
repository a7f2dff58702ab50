// The delivery of a run's changes, after the job tried to commit them. Types only.

/** Why changes stayed in the patch file. */
export type KeptReason =
  | "changes_conflict"
  | "branch_protected"
  | "branch_taken"
  | "branch_moved"
  | "fork_head"
  | "no_branch"
  | "permission_missing"
  | "pull_request_refused"
  | "signing_unsupported"
  | "patch_unusable"
  | "secret_in_changes"
  | "hidden_characters"
  | "push_refused"
  | "interrupted"
  | "code_host_unavailable";

export type Delivery =
  /** Nothing changed. */
  | { readonly type: "none" }
  | {
      readonly type: "commit";
      readonly branch: string;
      readonly sha: string;
      readonly url: string;
    }
  | {
      readonly type: "pull_request";
      readonly branch: string;
      readonly sha: string;
      readonly number: number;
      readonly url: string;
      /** False for a pull request that an earlier run opened. */
      readonly isNew: boolean;
      /** As its code host's people write it; left out: "pull request #7". */
      readonly name?: string;
    }
  /** The run was cut before its work was done: nothing was to be pushed. The message says where the changes are. */
  | { readonly type: "withheld"; readonly message: string }
  /** The changes are in the patch file only. The message says why, and what to do. */
  | { readonly type: "kept"; readonly reason: KeptReason; readonly message: string };
