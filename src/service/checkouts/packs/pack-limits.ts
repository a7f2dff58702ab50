// Limits of a pack that a job sends.

import type { CloneLimits } from "../clone-limits.ts";

/** The objects of a pack may unfold to this many times what may be stored of it. */
const UNFOLDING_FACTOR = 20;
/** Git checks some hundred megabytes of objects a second. */
const UNFOLDED_BYTES_PER_CPU_SECOND = 50_000_000;
const FEWEST_CPU_SECONDS = 20;

export type PackLimits = CloneLimits & {
  /** Objects of a pack; git needs memory for each. */
  readonly maxObjects: number;
  /** Commits of a history, those that are held already included. */
  readonly maxCommits: number;
  /** Packs that are checked at a time: of all, and of one owner. Of one repository it is one. */
  readonly maxUploads: number;
  readonly maxUploadsOfOwner: number;
  /** Packs that wait for their turn, and how long. */
  readonly maxWaitingUploads: number;
  readonly maxWaitingUploadsOfOwner: number;
  readonly uploadWaitMs: number;
};

/** Limits of the cost of a pack of which so many bytes may be stored. */
export function costLimits(
  { maxUnfoldedBytes, maxCpuSeconds }: Pick<CloneLimits, "maxUnfoldedBytes" | "maxCpuSeconds">,
  maxStoredBytes: number,
): Pick<CloneLimits, "maxUnfoldedBytes" | "maxCpuSeconds"> {
  const unfolded = Math.min(maxUnfoldedBytes, maxStoredBytes * UNFOLDING_FACTOR);
  const seconds = FEWEST_CPU_SECONDS + Math.ceil(unfolded / UNFOLDED_BYTES_PER_CPU_SECOND);
  return { maxUnfoldedBytes: unfolded, maxCpuSeconds: Math.min(maxCpuSeconds, seconds) };
}
