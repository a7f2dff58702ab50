// Adoptions of repositories by workspaces. Implemented in store/workspaces/adoptions.ts.

import type { Adoption } from "./adoption.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly adoptions: AdoptionReader;
  }
  interface StoreTransaction {
    readonly adoptions: AdoptionStore;
  }
}

interface AdoptionReader {
  /** The id of a workspace that is adopting from the agent's repository. Null where none is. */
  findRunningOf(agentId: string): Promise<string | null>;
  /** The workspace's newest one. */
  find(workspaceId: string): Promise<Adoption | null>;
}

/** The caller holds the workspace's lock. */
export interface AdoptionStore extends AdoptionReader {
  /** In the place of the one before. */
  put(adoption: Adoption): Promise<void>;
  /** How far the running one of this operation is. Needs no lock. */
  tell(progress: { operationId: string; objects: number; bytes: number }): Promise<void>;
}
