// Copies of workspaces' files. Implemented in store/workspaces/copies.ts.

import type { CopyViewState } from "../../../../contract/workspaces/copies/copy.ts";
import type { Copy, Holder } from "./copy.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly copies: CopyReader;
  }
  interface StoreTransaction {
    readonly copies: CopyStore;
  }
}

export type CopyPage = {
  readonly workspaceId: string;
  /** Null: in whichever state. */
  readonly state: CopyViewState | null;
  /** The id of a copy: only those made before it. Null: from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

export interface CopyReader {
  find(id: string): Promise<Copy | null>;
  /** The canonical copy of a workspace. */
  findCanonical(workspaceId: string): Promise<Copy | null>;
  /** Newest first. */
  list(page: CopyPage): Promise<readonly Copy[]>;
  /** The count of paths of each copy that were written or deleted since its base. A copy without any is left out. */
  countChanges(copyIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The oldest run that works in the copy, or is going to. */
  findUnfinishedRun(copyId: string): Promise<string | null>;
}

export interface CopyStore extends CopyReader {
  /** Nobody holds it yet. */
  insert(copy: Omit<Copy, "hold">): Promise<void>;
  /** Puts the copy on a revision that was made of it. */
  rebase(move: { id: string; baseRevisionId: string; baseTreeOid: string }): Promise<void>;
  /** Nobody writes to it any more: it is about to be deleted. */
  markDeleting(id: string): Promise<void>;
  delete(id: string): Promise<void>;
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<Copy | null>;
  /** Holds a copy from now on, by the store's time. The caller has locked it, and seen that it may. */
  hold(copyId: string, holder: Holder): Promise<void>;
  /** Begins the time of a hold anew, whether it has expired or not. False where another has the copy, or nobody. */
  renewHold(copyId: string, holder: Holder): Promise<boolean>;
  /** Safe to repeat. Nothing is done where another worker has the copy. */
  release(copyId: string, holder: Holder): Promise<void>;
  /** Gives back every copy but those of runs that another worker goes on with: whoever held one is dead. Returns how many. */
  releaseAll(): Promise<number>;
  /** Keeps it as it is until the transaction ends. Others that write its files do so at the same time. */
  share(id: string): Promise<Copy | null>;
}
