// The port through which a run executes a command on its checkout. Implemented in sandbox/.

import type { Result } from "../../../base/result.ts";

export type SandboxKind = "bubblewrap" | "container" | "none";

/** What a command may see of the machine, beside its tools. */
export type SandboxedCheckout = {
  /** Absolute path of the tree. */
  readonly root: string;
  /** Git's own folder where it lies outside of the tree; null where it is `.git` in the tree, or there is none. */
  readonly gitFolder: string | null;
  /** True when whoever can write to the repository may execute commands on this machine anyway. */
  readonly isTrusted: boolean;
};

export type SandboxCommand = {
  readonly execute: { readonly shell: string } | { readonly argv: readonly [string, ...string[]] };
  /** Relative to the root of the checkout; "" is the root. */
  readonly cwd: string;
  /** Added to the scrubbed environment. Names that hold secrets by custom are refused. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The sandbox's own limit wins when it is shorter. */
  readonly timeoutMs: number;
  /** Bytes of output that are kept: half from its beginning, half from its end. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
};

export type SandboxLimit = "time" | "output" | "memory" | "processes" | "disk";

export type SandboxResult = {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Standard output and error as they came, control characters included. */
  readonly output: string;
  /** True when bytes from the middle are missing; the text says how many. */
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** The limit that ended the command. */
  readonly limit?: SandboxLimit;
};

export type SandboxRefusal = {
  readonly reason: "shell_refused" | "cwd_refused" | "environment_refused";
  /** One line for the agent and the person who reads the run: what, and what to do. */
  readonly detail: string;
};

export interface Sandbox {
  readonly kind: SandboxKind;
  /**
   * Executes one command and settles once nothing of it is left. Rejects with the signal's reason on abort, with a
   * `SandboxError` when the sandbox itself failed; a command that failed or met a limit is a result.
   */
  run(checkout: SandboxedCheckout, command: SandboxCommand): Promise<Result<SandboxResult, SandboxRefusal>>;
}
