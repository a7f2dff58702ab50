// Revisions of workspaces. Implemented in store/workspaces/revisions.ts.

import type { Revision } from "../../../workspaces/revisions/revision.ts";

export interface RevisionReader {
  find(id: string): Promise<Revision | null>;
}

export interface RevisionStore extends RevisionReader {
  insert(revision: Revision): Promise<void>;
}
