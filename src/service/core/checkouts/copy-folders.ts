// The port to folders in which runs work on a copy's files: git's objects become files, and what was changed of the files becomes
// objects again. Implemented in checkouts/copies/ by the system's git.

import type { Result } from "../../../base/result.ts";
import type { Checkout, CheckoutRefusal, HeldBackFile } from "./checkout.ts";
import type { GivenObject } from "./git-scratch.ts";

export type CopyFolderSource = {
  readonly runId: string;
  /** For messages. */
  readonly copyId: string;
  /** The commit that the files are compared with. */
  readonly headSha: string;
  /** The tree that becomes the files, such as what the run has made of them so far. Default: the commit's. */
  readonly treeSha?: string | undefined;
  /** The name of the folder that the run's last worker had: the run gets it again where it is free. */
  readonly earlierFolder?: string | undefined;
  /** All that the commit and the tree lead to, and as much of the commit's history as there is to be. Read once. */
  readonly objects: AsyncIterable<GivenObject>;
  /** Commits whose parents are not among the objects. Complete once the objects are read. */
  readonly shallow: () => readonly string[];
  /** The files that are larger than that. Complete once the objects are read. */
  readonly largeFiles: (bytes: number) => readonly string[];
  /** Bytes that one changed file may have. */
  readonly maxFileBytes: number;
};

/** A file as it is now. */
export type FolderFile = { readonly mode: "100644" | "100755" | "120000"; readonly oid: string };

/** `file` is null where it was deleted. */
export type FolderChange = { readonly path: string; readonly file: FolderFile | null };

export type FolderChanges = {
  /** Differences from what was kept last, in git's order. */
  readonly changes: readonly FolderChange[];
  /** Changed files that are not to be kept. */
  readonly heldBack: readonly HeldBackFile[];
  /** The contents of the changed files, each once, in no order. To be read before the folder is asked again. */
  contents(): AsyncIterable<FolderContent>;
  /** Says that they are kept: the next changes are those since. */
  kept(): void;
};

export type FolderContent = {
  readonly oid: string;
  readonly size: number;
  /** Once, before the next. */
  read(): AsyncIterable<Uint8Array>;
};

export interface CopyFolder {
  /** Its `close` removes the folder. */
  readonly checkout: Checkout;
  /**
   * What was changed in the folder, without what git ignores. Nothing of it is executed, and no call of the checkout is
   * disturbed. Rejects with a `CheckoutError` where the files can not be read.
   */
  changes(signal: AbortSignal): Promise<FolderChanges>;
}

export interface CopyFolders {
  /** Ends every process that it started when `signal` aborts. */
  open(source: CopyFolderSource, signal: AbortSignal): Promise<Result<CopyFolder, CheckoutRefusal>>;
}
