// Copies of workspaces' files. Implemented in store/workspaces/copies.ts.

import type { Copy, Hold } from "../../../workspaces/copies/copy.ts";

export interface CopyReader {
  find(id: string): Promise<Copy | null>;
}

export interface CopyStore extends CopyReader {
  insert(copy: Copy): Promise<void>;
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<Copy | null>;
  /**
   * Holds a copy for a run: where nobody does, the lease has run out, or an earlier worker of the same run has it. Returns whether
   * it is held so.
   */
  hold(copyId: string, hold: Hold, now: number): Promise<boolean>;
  /** Moves the end of a lease that has not run out. False where it has, or another has the copy. */
  renewHold(copyId: string, hold: Hold, now: number): Promise<boolean>;
  /** Safe to repeat. Nothing is done where another worker has the copy. */
  release(copyId: string, hold: Pick<Hold, "runId" | "fence">): Promise<void>;
}
