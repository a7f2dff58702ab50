// The port that gives a queued run's id to a worker. Implemented in executor/, for one process and for several nodes.

declare module "../core.ts" {
  interface Core {
    readonly dispatch: Dispatch;
  }
}

export interface Dispatch {
  /**
   * Offers a queued run to the workers, by its id: its state is in the store. Billing accounts share the workers by the weights of
   * their plans: none waits for all that another has queued. Safe to repeat.
   */
  enqueue(runId: string, billingAccount: string): void;
  /** Like `enqueue`, but before all others: the run's parent occupies a worker while it waits. */
  enqueueAwaited(runId: string): void;
  /** Offers a run that was given back to the workers. */
  requeue(runId: string): void;
  /** Makes the worker of this run, if there is one, read the run's state now. */
  nudge(runId: string): void;
  /** Runs that wait for a worker. Among several nodes a guess, which may be too high: see `recount`. */
  waiting(): number;
  /** So many runs are queued in the store. */
  recount(queued: number): void;
}
