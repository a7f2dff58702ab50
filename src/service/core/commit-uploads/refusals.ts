// Why a commit is not taken, or not shown. Pure.

import type { AgentRefusal, AgentRetiredRefusal, PolicyRefusal } from "../agents/refusals.ts";
import type { PackRefusal } from "../commits/pack-receiver.ts";

export type CommitAccessRefusal =
  | AgentRefusal
  | AgentRetiredRefusal
  | PolicyRefusal
  | { readonly reason: "commits_not_kept" }
  | { readonly reason: "commit_name_malformed"; readonly sha: string }
  | { readonly reason: "commit_not_the_jobs"; readonly sha: string; readonly jobSha: string }
  | {
      readonly reason: "claim_required";
      readonly repository: string;
      /** Null where the repository cannot be claimed. */
      readonly claimUrl: string | null;
    };

export type SendCommitRefusal =
  | CommitAccessRefusal
  | PackRefusal
  | { readonly reason: "length_missing" }
  | { readonly reason: "upload_too_large"; readonly bytes: number; readonly allowed: number }
  | { readonly reason: "upload_quota"; readonly bytes: number; readonly left: number; readonly quota: number }
  /** What was reserved is gone: the upload took longer than it may. */
  | { readonly reason: "upload_expired" };
