// A commit that a job has sent: a git pack and its index, and the packs that hold the rest of its objects. Pure.

import type { CommitPlace } from "../ci-jobs/job-identity.ts";

/** A repository as its issuer names it: the same after a rename, another one for a recycled name. */
export type RepositoryKey = { readonly issuer: string; readonly id: string };

export function repositoryKeyOf({ issuer, repository }: CommitPlace): RepositoryKey {
  return { issuer, id: repository.id };
}

/** A blob, and the hash that its bytes have. */
export type StoredPackFile = { readonly key: string; readonly bytes: number; readonly sha256: string };

/** Immutable, but for `usedAt`. Times are milliseconds since the epoch. */
export type HeldPack = {
  readonly id: string;
  readonly repository: RepositoryKey;
  /** The commit that was sent. */
  readonly tip: string;
  /** Commits of its history whose parents are not all held; empty for a whole history. */
  readonly shallow: readonly string[];
  /** The ids of all packs that hold what this one lacks of the commit. */
  readonly bases: readonly string[];
  readonly objects: number;
  /** Of both files. */
  readonly bytes: number;
  readonly pack: StoredPackFile;
  readonly index: StoredPackFile;
  readonly createdAt: number;
  /** Never before that of a pack that builds on it. */
  readonly usedAt: number;
};

/** A commit with every pack that it takes to check it out. */
export type HeldCommit = { readonly tip: HeldPack; readonly packs: readonly HeldPack[] };
