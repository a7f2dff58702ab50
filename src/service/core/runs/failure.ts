// Failures of runs, and whose fault each is: the one table that refunds are decided by. Pure.
// Why: docs/decisions/035-refunds-are-counted.md

/**
 * `service`: of the service, its operator or its suppliers; no caller can produce it. `caller`: a caller can produce it, though it may
 * be nobody's fault. `terms`: the run reached a limit that was known before.
 */
type Fault = "service" | "caller" | "terms";

export const failureFaults = {
  /** The process of its worker ended, or it lost what was kept in memory. */
  interrupted: "service",
  stalled: "service",
  /** Blobs cannot be read or written now. */
  storage_unavailable: "service",
  /** Contents that were stored are missing or damaged. */
  contents_lost: "service",
  /** A setting or a program is missing or wrong: no backend, no git, no price of the default model, a key that opens nothing. */
  misconfigured: "service",
  /** An error that no code expects: the log has it. */
  internal_error: "service",
  /** The API of the service's own model cannot be reached, or fails. */
  model_unavailable: "service",
  /** It refuses the key or the account of the operator. */
  model_key_refused: "service",
  /** The repository or the pull request cannot be checked out, or the copy is not free. */
  checkout_refused: "caller",
  /** Git could not read the files of the run. */
  git_failed: "caller",
  /** The agent's process or its protocol failed. */
  agent_failed: "caller",
  /** The model refused the request, was too busy or too slow for it, or gave no usable answer. */
  model_failed: "caller",
  /** The access to a model that the run brought has ended, or does not fit. */
  access_ended: "caller",
  /** The run wrote more than a stream may hold. */
  stream_limit: "caller",
  time_limit: "terms",
  /** What the run may spend, by its own limits or its account's credits, does not pay for one call of its model. */
  unaffordable: "terms",
} as const satisfies Readonly<Record<string, Fault>>;

export type FailureReason = keyof typeof failureFaults;

/** Reasons of a run whose model's provider was away. */
export const providerFailures = [
  "model_unavailable",
  "model_failed",
] as const satisfies readonly FailureReason[];
export type ProviderFailure = (typeof providerFailures)[number];
