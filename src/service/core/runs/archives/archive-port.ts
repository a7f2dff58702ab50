// Archives of runs, as the core reads and writes them: events of runs that have ended, in a blob in the place of rows. Implemented in
// store/run-archives.ts.
// Why: docs/decisions/175-events-of-ended-runs-leave-the-database.md

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly runArchives: ArchiveReader;
  }
  interface StoreTransaction {
    readonly runArchives: ArchiveStore;
  }
}

/** All events of one run. Its blob holds blocks one after the other. */
export type RunArchive = {
  readonly runId: string;
  readonly blobKey: string;
  readonly bytes: number;
  /** Of the whole blob, in hex. */
  readonly sha256: string;
  /** In the order of their events. */
  readonly blocks: readonly ArchiveBlock[];
};

/** A part of an archive that is read at once. */
export type ArchiveBlock = {
  /** The `seq` of its first event. */
  readonly first: number;
  readonly bytes: number;
  readonly sha256: string;
};

/** A run whose events are to leave. */
export type DueRun = {
  readonly id: string;
  readonly endedAt: number;
  readonly lastSeq: number;
  /** Its archive is kept, and rows of its events are left. */
  readonly isArchived: boolean;
};

interface ArchiveReader {
  /** Null where the events of the run are rows, or are not kept any more. */
  find(runId: string): Promise<RunArchive | null>;
  /** Runs that ended before `endedBefore` whose events are rows, in the order of their ends, from the one after `after` on. */
  listDue(query: {
    readonly endedBefore: number;
    readonly after: Pick<DueRun, "id" | "endedAt"> | null;
    readonly limit: number;
  }): Promise<readonly DueRun[]>;
}

export interface ArchiveStore extends ArchiveReader {
  /**
   * Names the archive, and keeps its blob: it is read from here on. False, and nothing done, where another node has done so, the events are
   * being deleted, or the run has other events than `lastSeq` says.
   */
  keep(archive: RunArchive & { readonly lastSeq: number; readonly now: number }): Promise<boolean>;
  /** Deletes rows of events of an archived run, the oldest `limit` of them. Returns whether some are left. Safe to repeat. */
  deleteRows(step: { readonly runId: string; readonly limit: number }): Promise<boolean>;
}
