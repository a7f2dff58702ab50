// The interface of a CI provider for the Action and the command. Only types and the error; each provider has its own file.

import type { CiProviderName } from "../contract/ci/providers.ts";

/** Why a job has no identity to run with. */
export type IdentityReason =
  | "id_token_unavailable"
  | "id_token_refused"
  | "id_token_failed"
  | "fork_pull_request"
  | "dependabot";

/** The job cannot prove its identity. `code` says why; the message names the fix. */
export class IdentityError extends Error {
  readonly code: IdentityReason;

  constructor(code: IdentityReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "IdentityError";
    this.code = code;
  }
}

/** The job as its environment describes it. Labels and keys for our own use: the service goes by the token. */
export type CiJob = {
  readonly provider: CiProviderName;
  readonly repository: { readonly id: string; readonly name: string };
  /** "push", "pull_request", "schedule" … */
  readonly event: string;
  readonly sha: string;
  /** The workflow run or pipeline, the same in each attempt. */
  readonly runId: string;
  /** 1 for the first, one more with each re-run. Null where the provider does not count them. */
  readonly attempt: number | null;
  readonly job: string;
  readonly step: string;
};

export type CiProvider = {
  readonly job: CiJob;
  /** A new OIDC token for the audience. Rejects with IdentityError. Safe to repeat: each call mints another. */
  mintIdToken(audience: string, signal?: AbortSignal): Promise<string>;
  /** The repository's default branch; null where this job does not know it. Absent where no job of the provider does. */
  readDefaultBranch?(): Promise<string | null>;
  /** The count of tokens that a job can have, where that has an end: its capability cannot be renewed beyond. */
  readonly tokenLimit?: number;
  /** The advice about that limit. */
  readonly moreTokens?: string;
};
