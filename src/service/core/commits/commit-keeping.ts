// The parts of a service that keeps the commits of jobs. Types alone.

import type { BlobStore } from "../blobs/blob-store.ts";
import type { OwnBlobs } from "../blobs/own-blobs.ts";
import type { PackReceiver } from "./pack-receiver.ts";

declare module "../core.ts" {
  interface Core {
    /** The commits that jobs send. Null for a service that works on a checkout of its own. */
    readonly commits: CommitKeeping | null;
  }
}

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
    /** The time for which a pack is kept after its last use. */
    readonly keptMs: number;
    /** Commits of history that runs want. */
    readonly history: number;
  };
};
