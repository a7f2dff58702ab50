// The port through which a node publishes to the other nodes that something changed. Implemented in store/, on
// PostgreSQL.

/**
 * `moved`: a run's stream or state changed. `queued`: a run waits for a worker. `nudged`: the run's worker should read
 * the run's state now.
 */
export const nodeSignals = ["moved", "queued", "nudged"] as const;
export type NodeSignal = (typeof nodeSignals)[number];

export interface NodeLink {
  /**
   * Publishes to every other node, after the commit that the signal is about. A signal may be lost with a connection or
   * a node, so whoever waits for one also reads the store from time to time.
   */
  publish(signal: NodeSignal, runId: string): void;
  /**
   * Somebody on this node waits for this run, session or other subject to move: from now on, signals of it come here. Those that are
   * published before that takes effect are made up for: whoever waits is told to look.
   */
  follow(id: string): void;
  close(): Promise<void>;
}
