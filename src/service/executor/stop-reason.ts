// Why work on a run was told to stop: the reason its AbortSignal carries. Pure.

export type StopKind = "cancel" | "time_limit" | "shutdown" | "lost";

export class RunStopped extends Error {
  readonly code = "run_stopped";
  readonly kind: StopKind;

  constructor(kind: StopKind) {
    super(`The run was told to stop: ${kind}.`);
    this.kind = kind;
  }
}
