// Nodes that share a store. Implemented in store/nodes.ts.

import type { NodeState } from "./node.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly nodes: NodeReader;
  }
  interface StoreTransaction {
    readonly nodes: NodeStore;
  }
}

interface NodeReader {
  /** Those that have not left, also lost ones until they are deleted. The oldest first. */
  list(): Promise<readonly NodeState[]>;
}

export interface NodeStore extends NodeReader {
  /** Takes the place of the node's earlier state. */
  put(state: NodeState): Promise<void>;
  remove(id: string): Promise<void>;
}
