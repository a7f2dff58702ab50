// The reason why a run has to stop, which is that of its AbortSignal. Pure.

export type StopKind = "cancel" | "time_limit" | "handover" | "shutdown" | "lost" | "sandbox_lost";

export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly code = "run_stopped";
  readonly kind: StopKind;

  constructor(kind: StopKind) {
    super(`The run was told to stop: ${kind}.`);
    this.kind = kind;
  }

  /** Compares names: a backend in a bundle of its own has its own copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "RunStopped";
  }
}

/** The sandbox of the run is gone, with what was executing in it: another worker begins the turn anew. */
export function hasLostSandbox(cause: unknown): boolean {
  return cause instanceof RunStopped && cause.kind === "sandbox_lost";
}

/** The service ends, and another worker takes the run up. */
export function isShutdown({ reason }: AbortSignal): boolean {
  return reason instanceof RunStopped && reason.kind === "shutdown";
}

/** The service ends, or another worker has the run: no grace period. */
export function isUrgent({ reason }: AbortSignal): boolean {
  return reason instanceof RunStopped && (reason.kind === "shutdown" || reason.kind === "lost");
}
