// A revision: an immutable tree with its parents, which is a commit of git. Saved, and not necessarily accepted. Pure.

import type { Actor } from "../actor.ts";

export type Revision = {
  readonly id: string;
  readonly workspaceId: string;
  readonly commitOid: string;
  readonly treeOid: string;
  /** Ids of revisions. The first of an accepted one is the one that was current before. */
  readonly parentIds: readonly string[];
  readonly message: string;
  readonly author: Actor;
  readonly files: number;
  /** Of all its files. */
  readonly bytes: number;
  readonly createdAt: number;
  /** Null: it was never the current one. */
  readonly acceptedAt: number | null;
};
