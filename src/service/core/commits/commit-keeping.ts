// What it takes to keep the commits that jobs send. Types alone.

import type { OwnBlobs } from "../blobs/own-blobs.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { PackReceiver } from "../ports/pack-receiver.ts";

export type CommitKeeping = {
  readonly blobs: BlobStore;
  /** Whether `blobs` are those of the store. */
  readonly own: OwnBlobs;
  readonly receiver: PackReceiver;
  /** Whether runs of the backend read the repository. */
  readonly isNeededBy: (backend: string) => boolean;
  readonly limits: {
    /** Bytes of one upload. */
    readonly maxUploadBytes: number;
    /** Bytes of all packs of a repository. */
    readonly quotaBytes: number;
    /** How long a pack is kept after its last use. */
    readonly keptMs: number;
    /** Commits of history that runs want. */
    readonly history: number;
  };
};
