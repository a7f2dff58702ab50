// The port through which a workspace gets the files of a repository's commit. Implemented in checkouts/repository-trees.ts by git.

import type { Result } from "../../../base/result.ts";
import type { CheckoutRefusal, CheckoutSource } from "./checkout.ts";

/** One that the commit's tree leads to. */
export type RepositoryObject = {
  readonly kind: "blob" | "tree";
  readonly oid: string;
  readonly size: number;
  /** Once, before the next object is asked for. */
  content(): AsyncIterable<Uint8Array>;
};

export type RepositoryTree = {
  /** The id of the commit's tree. */
  readonly root: string;
  /** Each once, a folder before what is in it. Throws where git fails. */
  objects(): AsyncIterable<RepositoryObject>;
  /** Removes everything from disk. Safe to repeat. */
  close(): Promise<void>;
};

export interface RepositoryTrees {
  /** From what jobs have sent, otherwise by a clone. Ends every process that it started when `signal` aborts. */
  open(source: CheckoutSource, signal: AbortSignal): Promise<Result<RepositoryTree, CheckoutRefusal>>;
}
