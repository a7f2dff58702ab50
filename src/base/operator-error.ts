// An error whose message is the whole answer to whoever operates the program: what, which, what to do.

/** Printed as it is, without a stack. */
export class OperatorError extends Error {}

/** The system's code of a failure, as ENOSPC, or null. */
export function systemCodeOf(cause: unknown): string | null {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null;
}
