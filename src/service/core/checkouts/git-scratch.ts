// The port to what git does best with objects that are stored elsewhere: merges, diffs, bundles. Each call is given what it
// needs and keeps nothing. Implemented in checkouts/scratch/ by the system's git.

import type { Result } from "../../../base/result.ts";
import type { ChangedFile } from "./checkout.ts";

export type ScratchObjectKind = "blob" | "tree" | "commit";

/** `oid` is git's SHA-1 of it. */
export type ScratchObject = {
  readonly kind: ScratchObjectKind;
  readonly oid: string;
  readonly data: Uint8Array;
};

/** One that is too large for memory. `open` gives exactly `size` bytes. */
export type StreamedBlob = {
  readonly kind: "blob";
  readonly oid: string;
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
};

export type GivenObject = ScratchObject | StreamedBlob;

/** Trees by their oids, and every object in which one of them differs from another: trees and blobs. */
export type MergeRequest = {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly objects: readonly GivenObject[];
};

export type ConflictKind =
  | "content"
  | "binary"
  | "add_add"
  | "modify_delete"
  | "rename_rename"
  | "rename_delete"
  /** Two files would get one path by renames. */
  | "rename_collision"
  /** A folder was renamed on one side, and it is not clear where a file of the other side belongs. */
  | "file_location"
  | "file_directory"
  /** A file on one side, a symbolic link or a submodule on the other. */
  | "mode"
  | "submodule"
  | "other";

export type MergeSide = { readonly oid: string; readonly mode: string };

/** A path on each side of a merge; null where it is not there. */
export type MergeConflict = {
  readonly path: string;
  readonly kind: ConflictKind;
  readonly base: MergeSide | null;
  readonly ours: MergeSide | null;
  readonly theirs: MergeSide | null;
  /** Other paths of the same conflict: from where or to where a file was renamed. */
  readonly relatedPaths: readonly string[];
};

/** A file that was put elsewhere, because the other side renamed its folder. */
export type MovedFile = { readonly from: string; readonly to: string };

export type Merged = {
  /**
   * The merged tree. Where there are conflicts it holds, at their paths, text with conflict markers or one of the sides: it is
   * no result then.
   */
  readonly tree: string;
  /** Trees and blobs of it that were not given. */
  readonly made: readonly ScratchObject[];
  /** None where the merge is clean. In the order of their paths. */
  readonly conflicts: readonly MergeConflict[];
  readonly moved: readonly MovedFile[];
};

export type DiffRequest = {
  /** A tree; null for nothing. */
  readonly from: string | null;
  readonly to: string;
  /** As for a merge. */
  readonly objects: readonly GivenObject[];
  /** Bytes of the patch that are kept. 0: none is made. */
  readonly maxPatchBytes: number;
};

export type TreeDiff = {
  /** Renames are found; in git's order. */
  readonly files: readonly ChangedFile[];
  /** A unified diff for people: binary files are named, what is no UTF-8 becomes U+FFFD. Ends with a whole line. */
  readonly patch: string;
  /** False where there was more than `maxPatchBytes`. */
  readonly isWhole: boolean;
};

export type BundleRequest = {
  readonly tip: string;
  /** Its ref in the bundle, such as `refs/heads/main`. */
  readonly ref: string;
  /** The commit, all that it leads to, and nothing else. */
  readonly objects: AsyncIterable<GivenObject>;
};

/** A file for `git clone`. */
export type Bundle = {
  readonly bytes: number;
  /** Once. */
  read(): AsyncIterable<Uint8Array>;
  /** Removes it. Safe to repeat. */
  close(): Promise<void>;
};

export type ScratchRefusal =
  | { readonly reason: "scratch_too_large"; readonly what: "objects" | "bytes"; readonly allowed: number }
  | { readonly reason: "scratch_timed_out"; readonly allowedMs: number }
  | { readonly reason: "overloaded"; readonly what: "merges"; readonly allowed: number };

/**
 * Rejects with the signal's reason when it aborts, and with a ScratchError where an object is missing or malformed. By then every
 * process has ended and nothing is left on disk.
 */
export interface GitScratch {
  merge(request: MergeRequest, signal: AbortSignal): Promise<Result<Merged, ScratchRefusal>>;
  diff(request: DiffRequest, signal: AbortSignal): Promise<Result<TreeDiff, ScratchRefusal>>;
  bundle(request: BundleRequest, signal: AbortSignal): Promise<Result<Bundle, ScratchRefusal>>;
}

/** Git could not use what it was given: a fault of whoever gave it. */
export class ScratchError extends Error {
  override readonly name = "ScratchError";
  readonly code = "scratch_failed";
}
