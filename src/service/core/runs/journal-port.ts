// The journal of a run: what its worker leaves at each turn, so that another can go on with the run, and, for some time after its end,
// so that another run can begin there. Implemented in store/run-journal.ts.
// Why: docs/decisions/140-a-run-outlives-its-process.md

import type { Appended, EventBatch } from "./queue-port.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly journal: JournalReader;
  }
  interface StoreTransaction {
    readonly journal: JournalStore;
  }
}

/**
 * `begun`: a worker has the run. `turn`: it is about to send the first request of a turn; a coding agent has ended its prompt.
 * `kept`: it is about to send another one of that turn, or the same for another worker; what a coding agent has done in the middle
 * of its prompt. `spend`: another request is about to be sent within a turn. `calls`: a
 * call that acts outside of the run is about to be made. `lost` and `handover`: its worker was lost, or has given it back.
 * `poisoned`: it has lost one worker after the other, and its next one only reports what it has changed. `continued`: it was
 * parked, and somebody has given it what it waited for. `forked`: the entries before it are another run's.
 */
export const journalKinds = [
  "begun",
  "turn",
  "kept",
  "spend",
  "calls",
  "lost",
  "handover",
  "poisoned",
  "continued",
  "forked",
] as const;
export type JournalKind = (typeof journalKinds)[number];

export type JournalEntry = {
  readonly runId: string;
  /** Counts the entries of a run: 1, 2, 3 … */
  readonly entry: number;
  readonly kind: JournalKind;
  /** Of the form of `body` and `tree`. */
  readonly version: number;
  /** Sealed. Empty where the kind says all, and where a later entry holds it too. */
  readonly body: string;
  /** The run's files, sealed. Null where an earlier entry has them. Empty where they are not kept any more, for a later one has its own. */
  readonly tree: string | null;
  /** Of a `turn` whose backend counts them: the turn whose request comes next. Null of every other. */
  readonly turn: number | null;
  /** Of a `turn`: the newest event of the run before it. Null of every other. */
  readonly seq: number | null;
};

/** A turn before which the run's journal can be read. */
export type KeptTurn = { readonly entry: number; readonly turn: number; readonly seq: number };

/** An entry of the run, and the events that are appended with it. `seq` of a `turn` is that of the newest of them. */
export type KeptEntry = EventBatch & {
  readonly entry: JournalEntry;
  /** The bodies of the entries before this one are emptied: later ones hold all of them. 0: none is. */
  readonly emptiesBodiesBefore: number;
  /** The same of trees. */
  readonly emptiesTreesBefore: number;
};

/** A journal whose run has ended. */
export type EndedJournal = { readonly runId: string; readonly endedAt: number };

/** A journal that has left the database: its entries are in a blob. */
export type JournalArchive = EndedJournal & {
  readonly blobKey: string;
  readonly bytes: number;
  /** Of the blob, in hex. */
  readonly sha256: string;
  readonly turns: readonly KeptTurn[];
};

interface JournalReader {
  /** A run's entries in their order. */
  list(runId: string): Promise<readonly JournalEntry[]>;
  /** Their kinds alone. Null: one that only a newer version of the program knows. */
  listKinds(runId: string): Promise<readonly (JournalKind | null)[]>;
  /** The turns whose messages and files are all there, in their order. One that was begun twice is there once, as it was at first. */
  listTurns(runId: string): Promise<readonly KeptTurn[]>;
  /** Whether one of them has the run's files. */
  hasTree(runId: string): Promise<boolean>;
  /** Those in rows whose runs ended before `endedBefore`, in the order of their ends, from the one after `after` on. */
  listEnded(query: {
    readonly endedBefore: number;
    readonly after: EndedJournal | null;
    readonly limit: number;
  }): Promise<readonly EndedJournal[]>;
  /** Null where the journal is in rows, or not kept any more. */
  findArchive(runId: string): Promise<JournalArchive | null>;
}

export interface JournalStore extends JournalReader {
  append(entry: JournalEntry): Promise<void>;
  /** Appends events as `events.append` does, and the entry with them. Null: neither was appended. */
  keep(kept: KeptEntry): Promise<Appended | null>;
  /** All of a run's. Safe to repeat. */
  delete(runId: string): Promise<void>;
  /** The run has ended. Safe to repeat. */
  end(ended: { readonly runId: string; readonly now: number }): Promise<void>;
  /**
   * Names the archive of an ended run's journal, keeps its blob, and deletes the rows: it is read from here on. False, and nothing done, where
   * another node has done so, or the journal is not kept any more.
   */
  leave(archive: JournalArchive & { readonly now: number }): Promise<boolean>;
  /** Those of an agent's runs that have ended, with their archives. */
  deleteEnded(agent: { readonly agentId: string; readonly now: number }): Promise<void>;
  /** Those of the runs that ended first, and before `endedBefore`, with their archives: `limit` of each at most. Returns how many. */
  deleteOldest(step: {
    readonly endedBefore: number;
    readonly limit: number;
    readonly now: number;
  }): Promise<number>;
}
