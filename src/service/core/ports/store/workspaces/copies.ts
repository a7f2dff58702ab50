// Copies of workspaces' files. Implemented in store/workspaces/copies.ts.

import type { Copy } from "../../../workspaces/copies/copy.ts";

export interface CopyReader {
  find(id: string): Promise<Copy | null>;
}

export interface CopyStore extends CopyReader {
  insert(copy: Copy): Promise<void>;
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<Copy | null>;
}
