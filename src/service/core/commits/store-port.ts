// Packs of commits, and the heads of default branches, as the core reads and writes them. Implemented in
// store/packs.ts and store/default-heads.ts.

import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { HeldPack, RepositoryKey } from "./held-pack.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly packs: PackReader;
    readonly defaultHeads: DefaultHeadReader;
  }
  interface StoreTransaction {
    readonly packs: PackStore;
    readonly defaultHeads: DefaultHeadStore;
  }
}

interface PackReader {
  /** The newest pack of the commit. */
  findHeld(query: { repository: RepositoryKey; tip: string }): Promise<HeldPack | null>;
  /** The packs of a repository, newest first. */
  listHeld(query: { repository: RepositoryKey; limit: number }): Promise<readonly HeldPack[]>;
  /** Those of these packs that are still held, of that repository alone. */
  listByIds(query: { repository: RepositoryKey; ids: readonly string[] }): Promise<readonly HeldPack[]>;
  /** Of all packs of a repository, those included that are being sent. */
  countBytes(repository: RepositoryKey): Promise<number>;
  /** The packs of a repository, the least recently used first; none of them before what builds on it. */
  listOldest(repository: RepositoryKey): Promise<readonly OldPack[]>;
}

export interface PackStore extends PackReader {
  /** Counts a pack that is about to be sent. Its blobs are `unfinished`. */
  reserve(pack: Reservation): Promise<void>;
  /** The pack is held from now on, and so are its blobs. False where its reservation is gone. */
  hold(pack: HeldPack): Promise<boolean>;
  /** Records a use of these packs, each named once. False where one of them is not held any more. */
  touch(use: { ids: readonly string[]; now: number }): Promise<boolean>;
  /** Deletes packs, and leaves their blobs to be deleted. Safe to repeat. */
  delete(request: { ids: readonly string[]; now: number }): Promise<void>;
  /**
   * Deletes packs, as `delete` does, that were not used since `usedBefore`, and those whose sending began before
   * `begunBefore` and has not ended: the oldest, at most `limit`. Returns how many.
   */
  deleteUnused(step: {
    usedBefore: number;
    begunBefore: number;
    now: number;
    limit: number;
  }): Promise<number>;
}

export type Reservation = {
  readonly id: string;
  readonly repository: RepositoryKey;
  readonly bytes: number;
  readonly packKey: string;
  readonly indexKey: string;
  readonly now: number;
};

export type OldPack = Pick<HeldPack, "id" | "bases" | "bytes" | "usedAt"> & { readonly tip: string | null };

interface DefaultHeadReader {
  /** The job that runs on that commit. Null where no job of the default branch is known. */
  find(agentId: string): Promise<JobIdentity | null>;
}

export interface DefaultHeadStore extends DefaultHeadReader {
  /** Replaces what is known. */
  put(head: { agentId: string; job: JobIdentity; now: number }): Promise<void>;
  /** Safe to repeat. */
  delete(agentId: string): Promise<void>;
}
