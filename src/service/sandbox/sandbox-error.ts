// The sandbox itself failed: not the command, and not a refusal.

import { OperatorError } from "../../base/operator-error.ts";

type SandboxErrorCode = "sandbox_not_started" | "sandbox_not_watched";

/** The message may name paths of this machine: it is for the log, not for the agent. */
export class SandboxError extends OperatorError {
  override readonly name = "SandboxError";
  readonly code: SandboxErrorCode;

  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
