// Revisions of workspaces. Implemented in store/workspaces/revisions.ts.

import type { RevisionUse } from "./refusals.ts";
import type { Revision } from "./revision.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly revisions: RevisionReader;
  }
  interface StoreTransaction {
    readonly revisions: RevisionStore;
  }
}

export type RevisionPage = {
  readonly workspaceId: string;
  /** Null: whether or not they were accepted. */
  readonly isAccepted: boolean | null;
  /** The id of a revision: only those made before it. Null: from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

export interface RevisionReader {
  find(id: string): Promise<Revision | null>;
  /** In no order. Those that are not there are left out. */
  findAll(ids: readonly string[]): Promise<readonly Revision[]>;
  /** Those of a workspace that are these commits, in no order. */
  findByCommits(query: { workspaceId: string; commitOids: readonly string[] }): Promise<readonly Revision[]>;
  /** Newest first. */
  list(page: RevisionPage): Promise<readonly Revision[]>;
  /** Those of the revisions that a pin keeps at this time. */
  findPinned(query: { ids: readonly string[]; now: number }): Promise<ReadonlySet<string>>;
}

export interface RevisionStore extends RevisionReader {
  insert(revision: Revision): Promise<void>;
  /** Keeps it from being deleted until the transaction ends. Others do so at the same time. */
  share(id: string): Promise<Revision | null>;
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<Revision | null>;
  /** The use of the revision, the most telling one; null where nothing needs it. */
  findUse(query: { id: string; now: number }): Promise<RevisionUse | null>;
  /** Deletes it. Revisions that were made from it name its parents as theirs. */
  delete(revision: Revision): Promise<void>;
}
