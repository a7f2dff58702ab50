// An error whose message is the whole answer to whoever operates the program: what, which, what to do.

/** Printed as it is, without a stack. */
export class OperatorError extends Error {
  readonly isOperatorError = true;

  /** A bundle that is loaded later has a copy of this class: the mark tells. Subclasses are told apart as usual. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: of a subclass, `this` is that subclass.
    if (this !== OperatorError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return value instanceof Error && "isOperatorError" in value;
  }
}

/** The system's code of a failure, as ENOSPC, or null. */
export function systemCodeOf(cause: unknown): string | null {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null;
}
