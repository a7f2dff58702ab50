// Changesets of workspaces. Implemented in store/workspaces/changesets.ts.

import type { ChangesetStatus } from "../../../../contract/workspaces/changesets/changeset.ts";
import type { Changeset } from "./changeset.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly changesets: ChangesetReader;
  }
  interface StoreTransaction {
    readonly changesets: ChangesetStore;
  }
}

export type ChangesetPage = {
  readonly workspaceId: string;
  /** Null: in whichever state. */
  readonly status: ChangesetStatus | null;
  /** The id of a changeset: only those made before it. Null: from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

/** Changes of a changeset when it is compared or decided. */
export type ChangesetUpdate = Pick<
  Changeset,
  | "status"
  | "targetRevisionId"
  | "conflicts"
  | "evidence"
  | "rejectReason"
  | "acceptedRevisionId"
  | "decidedAt"
  | "decidedBy"
>;

interface ChangesetReader {
  find(id: string): Promise<Changeset | null>;
  /** Newest first. */
  list(page: ChangesetPage): Promise<readonly Changeset[]>;
  /** The task group of the newest run in a copy. Null: there is none. */
  taskGroupOf(copyId: string): Promise<string | null>;
}

export interface ChangesetStore extends ChangesetReader {
  insert(changeset: Changeset): Promise<void>;
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<Changeset | null>;
  update(id: string, update: ChangesetUpdate): Promise<void>;
}
