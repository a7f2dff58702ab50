// The parts of a service that keeps workspaces. Types alone.

import type { BlobStore } from "../blobs/blob-store.ts";
import type { GitScratch } from "../checkouts/git-scratch.ts";
import type { GitService } from "../checkouts/git-service.ts";
import type { RepositoryTrees } from "../checkouts/repository-trees.ts";
import type { Spool } from "../ports/spool.ts";

declare module "../core.ts" {
  interface Core {
    /** Null for a service without workspaces. */
    readonly workspaces: WorkspaceKeeping | null;
  }
}

/** Each noun of a workspace declares what it keeps, beside its type. */
export interface WorkspaceKeeping {
  /** Of contents that are too large for a row. */
  readonly blobs: BlobStore;
  /** For contents whose end is not known while they arrive. */
  readonly spool: Spool;
  /** The files of repositories. */
  readonly repositories: RepositoryTrees;
  /** The scratch in which git merges and compares. */
  readonly scratch: GitScratch;
  /** Answers git's own clients. */
  readonly git: GitService;
  readonly admission: {
    /** Whether new work is taken. What removes, cancels or rejects always is. */
    readonly takesWork: boolean;
    /** Whether files are read and written. */
    readonly takesFiles: boolean;
    /** The accounts whose work is taken. Null: all. */
    readonly accounts: readonly string[] | null;
  };
  /** Whether new names have to be ones that every system can hold. */
  readonly keepsPathsPortable: boolean;
  /** The origins of sites: `{workspace}` stands for a workspace's id. Null: they share the service's origin. */
  readonly siteUrl: string | null;
  readonly limits: {
    /** The time for which a revision that nothing needs is kept, and files in the trash. 0: for good. */
    readonly keptMs: number;
    /** Bytes of one uploaded file. */
    readonly maxFileBytes: number;
    /** Bytes of a file that is read or written as text in one piece. */
    readonly editorCapBytes: number;
    /** Bytes that one read of a part returns at most. */
    readonly readWindowBytes: number;
  };
}
