// A copy of a workspace's files: the tree of a base revision, and what was written over it. The canonical copy is one, too. Pure.

import type { Actor } from "../actor.ts";

export const copyStates = ["ready", "deleting"] as const;
export type CopyState = (typeof copyStates)[number];

/** How long the worker of a run that died keeps its copy. */
export const COPY_HOLD_MS = 60_000;

/** The run that alone writes in a copy, for as long as its lease holds. */
export type Hold = {
  readonly runId: string;
  /** The fence of the run's worker: a later one takes the copy over from it. */
  readonly fence: number;
  readonly until: number;
};

export type Copy = {
  readonly id: string;
  readonly workspaceId: string;
  readonly isCanonical: boolean;
  readonly state: CopyState;
  /** What was written since is over it. Of the canonical copy: the current revision. */
  readonly baseRevisionId: string;
  readonly baseTreeOid: string;
  /** Null: nobody holds it. One whose lease has run out holds it no more: see `holderOf`. */
  readonly hold: Hold | null;
  /** The newest revision that was made of it. */
  readonly savedRevisionId: string | null;
  readonly createdBy: Actor;
  readonly createdAt: number;
};

/** The run that holds the copy now. */
export function holderOf({ hold }: Copy, now: number): Hold | null {
  return hold !== null && now < hold.until ? hold : null;
}
