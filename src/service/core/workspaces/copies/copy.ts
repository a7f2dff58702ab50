// A copy of a workspace's files: the tree of a base revision, and what was written over it. The canonical copy is one, too. Pure.

import type { Actor } from "../actor.ts";

export const copyStates = ["ready", "deleting"] as const;
type CopyState = (typeof copyStates)[number];

/** The time for which the worker of a run that died keeps its copy. */
export const COPY_HOLD_MS = 60_000;

/** The run that alone writes in a copy, for as long as its lease holds. */
export type CopyHold = {
  readonly runId: string;
  /** The fence of the run's worker: a later one takes the copy over from it. */
  readonly fence: number;
  /**
   * By the store's time. An expired hold is still its worker's to renew, until another one takes the copy. That of a run which another
   * worker can go on with does not expire.
   */
  readonly hasExpired: boolean;
};

export type Holder = Pick<CopyHold, "runId" | "fence">;

export type Copy = {
  readonly id: string;
  readonly workspaceId: string;
  readonly isCanonical: boolean;
  readonly state: CopyState;
  /** What was written since is over it. Of the canonical copy: the current revision. */
  readonly baseRevisionId: string;
  readonly baseTreeOid: string;
  /** Null: nobody has held it since it was given back. One that has expired keeps nobody out: see `holderOf`. */
  readonly hold: CopyHold | null;
  /** The newest revision that was made of it. */
  readonly savedRevisionId: string | null;
  readonly createdBy: Actor;
  readonly createdAt: number;
};

/** The run that holds the copy now. */
export function holderOf({ hold }: Pick<Copy, "hold">): CopyHold | null {
  return hold === null || hold.hasExpired ? null : hold;
}
