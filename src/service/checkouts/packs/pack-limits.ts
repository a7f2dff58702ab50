// What a pack that a job sends may be.

import type { CloneLimits } from "../clone-limits.ts";

export type PackLimits = CloneLimits & {
  /** Objects of a pack; git needs memory for each. */
  readonly maxObjects: number;
  /** Commits of a history, those that are held already included. */
  readonly maxCommits: number;
  /** Packs that are checked at a time. */
  readonly maxUploads: number;
};
