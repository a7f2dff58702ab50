// The trash of copies. Implemented in store/workspaces/trash.ts.

import type { TrashItem } from "../../../workspaces/files/copy-entry.ts";

export interface TrashReader {
  find(item: { copyId: string; handle: string }): Promise<TrashItem | null>;
}

export interface TrashStore extends TrashReader {
  insert(item: TrashItem): Promise<void>;
  /** False where it is not there any more. */
  remove(item: { copyId: string; handle: string }): Promise<boolean>;
  /** Empties a copy's trash. Returns how many items there were. */
  purge(copyId: string): Promise<number>;
}
