// Links to runs, as the core reads and writes them. They are deleted with the run's events. Implemented in store/run-views.ts.

import type { RunView } from "../runs/run-view.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly runViews: RunViewReader;
  }
  interface StoreTransaction {
    readonly runViews: RunViewStore;
  }
}

interface RunViewReader {
  find(hash: string): Promise<RunView | null>;
}

export interface RunViewStore extends RunViewReader {
  /** Keeps the newest `keep` of the run's, this one included. The caller has locked the run's agent. */
  insert(view: RunView, options: { keep: number }): Promise<void>;
  deleteOfAgent(agentId: string): Promise<void>;
}
