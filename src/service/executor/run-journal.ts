// The journal of a run at work, as its worker keeps it, and what the worker before left there.
// Why: docs/decisions/140-a-run-outlives-its-process.md

import type { TakeUpReason } from "../../contract/runs/run-event.ts";
import type { KeptTree } from "../core/checkouts/checkout.ts";
import type { Core } from "../core/core.ts";
import type { StorageFullError } from "../core/ports/storage-full.ts";
import type { JournalKind } from "../core/runs/journal-port.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import {
  type Continuation,
  dropJournal,
  keepEntry,
  type NewEntry,
  type OpenedEntry,
  openEntries,
} from "../core/runs/run-journal.ts";
import type { EventWriter } from "./event-writer.ts";
import { sayWaits } from "./until-room.ts";
import type { WorkedTime } from "./worked-time.ts";

/**
 * Of the trees of a run, sealed and in base 64: the newest ones are kept, so that the run can be forked at their turns. Beyond it the
 * oldest go first.
 */
const MAX_TREES_CHARS = 24 * 1024 * 1024;

/** What earlier workers of a run have left. */
export type LeftWork = {
  /** The time that they were at it. */
  readonly workedMs: number;
  readonly entries: readonly OpenedEntry[];
  /** Null: the files are as they were at the run's begin. */
  readonly tree: KeptTree | null;
  /** The name of the run's folder; undefined where it does not matter. */
  readonly folderName: string | undefined;
  /**
   * Why the last of them has it no more: the run was parked, where somebody has continued it. `fork`: nobody has had it, and it begins
   * where another run was.
   */
  readonly after: TakeUpReason;
  /** The run was parked since its newest turn: it held no copy of a workspace meanwhile. */
  readonly wasParked: boolean;
  /** They were too many: what they have changed is reported, and nothing more is done. */
  readonly isPoisoned: boolean;
};

type JournalOptions = {
  readonly core: Core;
  readonly taken: TakenRun;
  readonly writer: EventWriter;
  /** Aborts when this worker is to give its runs back. */
  readonly isLeaving: AbortSignal;
  readonly worked: Pick<WorkedTime, "ms">;
};

/** The body of an entry as it is stored. */
type StoredBody = {
  readonly workedMs?: number;
  readonly folderName?: string | undefined;
  readonly of: unknown;
};

/** A new entry of a backend. Its body and what is in it are the backend's own. */
type KeptEntry = Pick<NewEntry, "kind" | "body" | "isWhole" | "turn"> & {
  readonly tree?: KeptTree;
  readonly folderName?: string | undefined;
};

export class RunJournal {
  readonly #options: JournalOptions;
  /** Null for a run that begins. */
  readonly left: LeftWork | null;
  #next: number;
  #trees: readonly KeptSize[];
  #isKept = true;
  #isComplete = false;

  private constructor(options: JournalOptions, entries: readonly OpenedEntry[]) {
    this.#options = options;
    this.#next = entries.length + 1;
    this.#trees = entries.flatMap(({ entry, tree }) =>
      tree === undefined ? [] : [{ entry, chars: (tree as StoredTree).pack.length }],
    );
    this.left = entries.length === 0 ? null : leftIn(entries);
  }

  /** Begins a journal, or opens the one that is there. Null where it cannot be read. */
  static async open(options: JournalOptions): Promise<RunJournal | null> {
    const { core, taken } = options;
    if (!isTakenUp(taken) && taken.input.forkOf === undefined) {
      const journal = new RunJournal(options, []);
      await journal.keep({ kind: "begun" });
      return journal;
    }
    const entries = await openEntries(core, taken.run.id);
    return entries === null || entries.length === 0 ? null : new RunJournal(options, entries);
  }

  /** Whether the worker is to give the run back before the next turn. */
  get isLeaving(): boolean {
    return this.#options.isLeaving.aborted;
  }

  /** Whether another worker could go on with the run. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Whether it has all that a worker needs to go on after the run was parked. */
  get isComplete(): boolean {
    return this.#isComplete && this.#isKept;
  }

  /** The backend's work has ended, and its last entry has all of it. */
  complete(): void {
    this.#isComplete = true;
  }

  /** Keeps an entry with every event that was emitted before. Resolves once it is committed. */
  async keep({ tree, body: of, folderName, ...entry }: KeptEntry): Promise<void> {
    if (!this.#isKept) return;
    const { core, taken, writer, worked } = this.#options;
    const body: StoredBody = { workedMs: worked.ms, folderName, of };
    const { id: runId, fence } = taken.run;
    const number = this.#next;
    this.#next += 1;
    const stored = {
      ...entry,
      body,
      entry: number,
      ...(tree === undefined ? {} : this.#withTree(number, storedTree(tree))),
    };
    await writer.writeWith((events) => keepEntry(core, { runId, fence, events, entry: stored }));
  }

  #withTree(entry: number, tree: StoredTree): Pick<NewEntry, "tree" | "firstTree"> {
    const all = [...this.#trees, { entry, chars: tree.pack.length }];
    const maxChars = this.#options.core.policy.journalMs === 0 ? 0 : MAX_TREES_CHARS;
    this.#trees = newestWithin(all, maxChars);
    const isFull = this.#trees.length < all.length;
    return { tree, ...(isFull ? { firstTree: this.#trees[0]?.entry ?? entry } : {}) };
  }

  /** An entry could not be made: another worker goes on from those before. */
  passOver(cause: unknown): void {
    const { core, taken } = this.#options;
    core.log.warn({ run_id: taken.run.id, err: cause }, "an entry of the run's journal is left out");
  }

  /** The disk of the run's files is full. */
  waitsForRoom(cause: StorageFullError): void {
    const { core, taken } = this.#options;
    sayWaits(core, taken.run.id)(cause);
  }

  /** Something of the run cannot be kept: it ends with its worker from here on. */
  async giveUp(cause: unknown): Promise<void> {
    if (!this.#isKept) return;
    const { core, taken } = this.#options;
    this.#isKept = false;
    core.log.warn({ run_id: taken.run.id, err: cause }, "the run's journal is not kept any more");
    await dropJournal(core, taken.run.id);
  }
}

/** Whether another worker has had the run. */
export function isTakenUp({ run }: TakenRun): boolean {
  return run.fence > 1;
}

/** A tree that an entry has, and how large its pack is. */
type KeptSize = { readonly entry: number; readonly chars: number };

/** At least the newest one: the run needs it. */
function newestWithin(trees: readonly KeptSize[], maxChars: number): readonly KeptSize[] {
  let chars = 0;
  const kept = trees.findLastIndex((tree, at) => {
    chars += tree.chars;
    return chars > maxChars && at < trees.length - 1;
  });
  return trees.slice(kept + 1);
}

type StoredTree = { readonly tree: string; readonly pack: string };

function storedTree({ tree, pack }: KeptTree): StoredTree {
  return { tree, pack: Buffer.from(pack).toString("base64") };
}

function leftIn(entries: readonly OpenedEntry[]): LeftWork {
  // Sealed by this service in this form.
  const stored = entries.findLast(({ tree }) => tree !== undefined)?.tree as StoredTree | undefined;
  const bodies = entries.map(({ kind, body }) =>
    // It is not a worker's.
    kind === "continued" || kind === "forked"
      ? ofCore(body as Continuation | undefined)
      : (body as StoredBody | undefined),
  );
  // Another run's work is not this one's.
  const own = bodies.slice(entries.findLastIndex(({ kind }) => kind === "forked") + 1);
  const ended = entries.findLast(({ kind }) => kind in whyEnded)?.kind ?? "lost";
  return {
    workedMs: own.findLast((body) => body?.workedMs !== undefined)?.workedMs ?? 0,
    folderName: own.findLast((body) => body?.folderName !== undefined)?.folderName,
    entries: entries.map((entry, at) => ({ ...entry, body: bodies[at]?.of })),
    tree: stored === undefined ? null : { tree: stored.tree, pack: Buffer.from(stored.pack, "base64") },
    after: whyEnded[ended] ?? "lost_worker",
    wasParked: lastOf(entries, ["continued"]) > lastOf(entries, ["turn", "kept"]),
    isPoisoned: entries.some(({ kind }) => kind === "poisoned"),
  };
}

function lastOf(entries: readonly OpenedEntry[], kinds: readonly JournalKind[]): number {
  return entries.findLastIndex(({ kind }) => kinds.includes(kind));
}

/** An entry of the core, which says how long the run had been at work where that is known. Undefined: a later one holds it too. */
function ofCore(of: Continuation | undefined): StoredBody {
  return { of, ...(of?.workedMs === undefined ? {} : { workedMs: of.workedMs }) };
}

const whyEnded: { readonly [Kind in JournalKind]?: TakeUpReason } = {
  lost: "lost_worker",
  handover: "handover",
  continued: "parked",
  forked: "fork",
};
