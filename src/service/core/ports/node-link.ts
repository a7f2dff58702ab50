// The port through which a node tells the others that something moved. Implemented in store/, on PostgreSQL.

/** `moved`: a run's stream or state did. `queued`: a run waits for a worker. `nudged`: its worker should look now. */
export const nodeSignals = ["moved", "queued", "nudged"] as const;
export type NodeSignal = (typeof nodeSignals)[number];

export interface NodeLink {
  /**
   * Tells every other node, after the commit that it is about. May be lost with a connection or a node: whoever waits
   * also looks at the store from time to time.
   */
  tell(signal: NodeSignal, runId: string): void;
  close(): Promise<void>;
}
