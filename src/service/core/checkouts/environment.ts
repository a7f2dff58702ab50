// The port to the environment of a run: what its repository's setup script leaves for the agent's commands. Implemented in
// environments/.

import type { Result } from "../../../base/result.ts";
import type { SandboxRefusal, SandboxResult } from "../ports/sandbox.ts";
import type { Checkout, CheckoutSource } from "./checkout.ts";

/** Executed where it exists and the run names no other. */
export const DEFAULT_SETUP = ".github/agent/setup.sh";

/**
 * Whose environment it is. A run without trust never writes what one with trust reads: "trusted" where writers made the
 * commit, else the pull request's number. Null: nobody else's.
 */
export type EnvironmentClass = "trusted" | { readonly pullRequest: number } | null;

export type EnvironmentRequest = {
  /** Nothing is shared between repositories. */
  readonly repository: { readonly issuer: string; readonly id: string };
  readonly class: EnvironmentClass;
  /** Before an agent has changed it. */
  readonly checkout: Checkout;
  /** The source of the checkout: without a sandbox, it decides whether anything is executed. */
  readonly source: CheckoutSource;
  /** The script's text, from the commit that writers agreed to. */
  readonly script: string;
  /** The unix socket of what the script may reach of the network; null: nothing. */
  readonly egressSocket: string | null;
  readonly signal: AbortSignal;
};

export type PreparedEnvironment = {
  /** The home of the run's commands, absolute. Null where they have one each. */
  readonly home: string | null;
  /** The result of the script, or the time that an equal one took whose result was copied. */
  readonly setup: Result<SandboxResult, SandboxRefusal> | { readonly ok: "cached"; readonly setupMs: number };
  /** The time that it took, copies included. */
  readonly durationMs: number;
  /** Removes the home. Safe to repeat. */
  close(): Promise<void>;
};

export interface Environments {
  /** Executes the script in the sandbox, or copies what an equal one left. Rejects with the signal's reason on abort. */
  prepare(request: EnvironmentRequest): Promise<PreparedEnvironment>;
  /** Removes what a crashed service left behind. Called once, before the first run. */
  sweep(): Promise<void>;
}
