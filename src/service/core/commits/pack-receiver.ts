// The port to what checks a pack that a job sends. Implemented in checkouts/packs/ by git.

import type { Result } from "../../../base/result.ts";
import type { PackFault } from "../../../contract/ci/commits.ts";
import type { HeldPack } from "./held-pack.ts";

export type IncomingPack = {
  /** Names the pack from now on. */
  readonly id: string;
  /** Whose it is: packs of one repository are taken one after another, and no owner takes all turns. */
  readonly repository: string;
  readonly owner: string;
  /** The commit that it is sent for. */
  readonly sha: string;
  /** Packs that it builds on: all that it takes. */
  readonly bases: readonly HeldPack[];
  /** In bytes, as announced. */
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
  /** Bytes that it may have once what it builds on was added where it was thin. */
  readonly maxStoredBytes: number;
  readonly signal: AbortSignal;
};

export type PackRefusal =
  | { readonly reason: PackFault; readonly detail: string }
  | {
      readonly reason: "overloaded";
      readonly what: "uploads" | "owner_uploads" | "repository_uploads";
      readonly allowed: number;
    };

/** A pack that holds the commit and, together with its bases, everything that it leads to down to `shallow`. */
export type ReceivedPack = {
  readonly objects: number;
  readonly shallow: readonly string[];
  readonly pack: ReceivedFile;
  readonly index: ReceivedFile;
  /** Keeps its files near, for the runs that will soon need them. Safe to leave out. */
  adopt(): Promise<void>;
  /** Removes it from disk. Safe to repeat. */
  close(): Promise<void>;
};

export type ReceivedFile = {
  readonly bytes: number;
  readonly sha256: string;
  open(): AsyncIterable<Uint8Array>;
};

export interface PackReceiver {
  /**
   * Stores the pack in a place of its own and checks it. Nothing of it is executed. Rejects with the signal's reason,
   * with what reading `content` threw, or with a BlobStoreError where a base cannot be read.
   */
  receive(incoming: IncomingPack): Promise<Result<ReceivedPack, PackRefusal>>;
}
