// The port that carries a queued run's id to a worker. Implemented in executor/, in process.

export interface Dispatch {
  /** Offers a queued run to the workers. Holds only the id: what is true is in the store. Safe to repeat. */
  enqueue(runId: string): void;
  /** As `enqueue`, before all others: the run's parent waits for it on a worker. */
  enqueueAwaited(runId: string): void;
  /** Tells the worker of this run, if there is one, to look at the run's state now. */
  nudge(runId: string): void;
  /** Runs that wait for a worker. */
  waiting(): number;
}
