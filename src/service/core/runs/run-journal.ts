// Keeps a run's journal, and gives a run back whose worker goes or is gone, so that another goes on with it.
// Why: docs/decisions/140-a-run-outlives-its-process.md

import { SEAL_NONCE_BYTES, type SealingKeys, seal, unseal } from "../../../base/sealed-text.ts";
import type { RunStatus } from "../../../contract/runs/run.ts";
import type { WrittenEvent } from "../../../contract/runs/run-event.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { JournalEntry, JournalKind, KeptEntry } from "./journal-port.ts";
import type { RunRecord } from "./run-record.ts";

declare module "../core.ts" {
  interface Core {
    /** Keys that seal the journals of runs. Null: none is kept, and runs end with their worker. */
    readonly journalKeys: SealingKeys | null;
    /** Names of the backends that keep the journals of their runs. */
    readonly journalledBackends: ReadonlySet<string>;
    /** Whether what a run was given for its model outlives this process. */
    readonly keepsRunSecrets: boolean;
  }
}

/** The form in which this version of the program writes an entry. Runs with newer ones are left to nodes that know it. */
export const JOURNAL_VERSION = 2;

/** Losses of a worker in a row, with no turn between them, after which a run does not go on. */
export const MAX_LOSSES = 5;

export type NewEntry = {
  readonly entry: number;
  readonly kind: JournalKind;
  /** As JSON. Undefined: the kind says all. */
  readonly body?: unknown;
  readonly tree?: unknown;
  /** Whether the body holds all that is needed of the earlier ones. */
  readonly isWhole?: boolean;
  /** Trees of entries before this one are kept no longer. Absent: all are. */
  readonly firstTree?: number;
  /** Of a `turn`: the turn whose request comes next. */
  readonly turn?: number;
};

type Keep = {
  readonly runId: string;
  readonly fence: number;
  /** Appended with the entry. */
  readonly events: readonly WrittenEvent[];
  readonly entry: NewEntry;
};

/** The parts of the core that keep an entry. */
export type JournalKeeper = Pick<Core, "clock" | "random" | "signals" | "journalKeys"> & {
  readonly store: Pick<Core["store"], "transact">;
};

/** Keeps an entry, and appends events with it. Returns the run's state, or null when another worker has it or it has ended. */
export async function keepEntry(
  core: JournalKeeper,
  { runId, fence, events, entry }: Keep,
): Promise<RunStatus | null> {
  const jsons = events.map((event) => JSON.stringify(event));
  const sealed = sealedEntry(core, runId, entry);
  const kept: KeptEntry = {
    ...{ runId, fence, now: core.clock.now(), jsons },
    entry: sealed,
    emptiesBodiesBefore: entry.isWhole === true ? entry.entry : 0,
    emptiesTreesBefore: entry.firstTree ?? 0,
  };
  const appended = await core.store.transact((tx) => tx.journal.keep(kept), { isOneWrite: true });
  if (jsons.length > 0) core.signals.publish(runId);
  return appended?.status ?? null;
}

function sealedEntry(
  core: Pick<Core, "journalKeys" | "random">,
  runId: string,
  { entry, kind, body, tree, turn }: NewEntry,
): JournalEntry {
  const { journalKeys: keys, random } = core;
  if (keys === null) throw new TypeError("There is no key to seal a journal with.");
  const sealed = (value: unknown, boundTo: string) =>
    seal(JSON.stringify(value), { key: keys.current, nonce: random.bytes(SEAL_NONCE_BYTES), boundTo });
  return {
    runId,
    entry,
    kind,
    version: JOURNAL_VERSION,
    body: body === undefined ? "" : sealed(body, bodyOf(runId, entry)),
    tree: tree === undefined ? null : sealed(tree, treeOf(runId, entry)),
    turn: turn ?? null,
    seq: null,
  };
}

/** An entry whose parts are readable; undefined where it has none. */
export type OpenedEntry = {
  readonly entry: number;
  readonly kind: JournalKind;
  readonly body: unknown;
  readonly tree: unknown;
};

/** The journal of a run in its order. Null where a part of it is of another version, or sealed by a key that is not here. */
export async function openEntries(core: Core, runId: string): Promise<readonly OpenedEntry[] | null> {
  const { journalKeys: keys } = core;
  if (keys === null) return null;
  const opened: OpenedEntry[] = [];
  for (const { entry, kind, version, body, tree } of await core.store.committed.journal.list(runId)) {
    const saysAllByKind = body === "" && !tree;
    // A node of an older version gives runs back, too.
    if (version > JOURNAL_VERSION || (version < JOURNAL_VERSION && !saysAllByKind)) return null;
    const read = body === "" ? "null" : openedText(body, { keys, boundTo: bodyOf(runId, entry) });
    const files = !tree ? "null" : openedText(tree, { keys, boundTo: treeOf(runId, entry) });
    if (read === null || files === null) return null;
    opened.push({ entry, kind, body: JSON.parse(read) ?? undefined, tree: JSON.parse(files) ?? undefined });
  }
  return opened;
}

function openedText(
  sealed: string,
  how: { readonly keys: SealingKeys; readonly boundTo: string },
): string | null {
  const text = unseal(sealed, how);
  return text.ok ? text.value : null;
}

const bodyOf = (runId: string, entry: number) => `${runId}/${entry}`;
const treeOf = (runId: string, entry: number) => `${runId}/${entry}/tree`;

/** Deletes a run's journal: it ends with its worker from here on. */
export async function dropJournal(core: Core, runId: string): Promise<void> {
  await core.store.transact((tx) => tx.journal.delete(runId));
}

/** What a parked run was given, or one that begins at another's turn. */
export type Continuation = {
  /** Null: nothing was said. */
  readonly message: string | null;
  /** The run at whose turn it begins. Absent: it was parked. */
  readonly forkedFrom?: string;
  /** Of a parked run: the time at work so far. */
  readonly workedMs?: number;
  /** Nobody has continued it: its limits of turns and of time stay as they are. */
  readonly isByItself?: true;
};

/** The entry of a run that is parked no more. Null where it has no journal, or none is kept. */
export async function sealedContinuation(
  core: Core,
  tx: StoreTransaction,
  { runId, given }: { runId: string; given: Continuation },
): Promise<JournalEntry | null> {
  if (core.journalKeys === null) return null;
  const kinds = await tx.journal.listKinds(runId);
  if (kinds.length === 0) return null;
  return sealedEntry(core, runId, { entry: kinds.length + 1, kind: "continued", body: given });
}

type Forked = {
  /** Of the other run, up to the turn. */
  readonly entries: readonly OpenedEntry[];
  readonly runId: string;
  readonly given: Continuation;
};

/** Begins the journal of a run with the messages and the files of another one. Only where there is a key. */
export async function beginForked(core: Core, tx: StoreTransaction, forked: Forked): Promise<void> {
  const { entries, runId, given } = forked;
  const tree = entries.findLast((entry) => entry.tree !== undefined)?.tree;
  const turns = entries.filter(
    ({ kind, body }) => (kind === "turn" || kind === "kept") && body !== undefined,
  );
  const copied = turns.map(({ body }, at): NewEntry => {
    const isLast = at === turns.length - 1;
    return { entry: at + 1, kind: "turn", body, ...(isLast && tree !== undefined ? { tree } : {}) };
  });
  const last: NewEntry = { entry: turns.length + 1, kind: "forked", body: given };
  for (const entry of [...copied, last]) await tx.journal.append(sealedEntry(core, runId, entry));
}

type Release = {
  /** Locked by the caller. */
  readonly run: RunRecord;
  /** They close what is open in its stream. */
  readonly events: readonly WrittenEvent[];
  readonly after: Extract<JournalKind, "lost" | "handover">;
};

/** `no_journal` and `too_many_losses`: nothing was done, and the run ends with its worker. */
type Released = "released" | "no_journal" | "too_many_losses";

/** Gives a run back, to be taken by another worker. */
export async function releaseRun(
  core: Core,
  tx: StoreTransaction,
  { run, events, after }: Release,
): Promise<Released> {
  if (core.journalKeys === null) return "no_journal";
  const kinds = await tx.journal.listKinds(run.id);
  if (kinds.length === 0 && !(await hasJustBegun(core, tx, run))) return "no_journal";
  const isPoisoned = after === "lost" && lossesIn(kinds) >= MAX_LOSSES - 1;
  // Its next worker reports the files that are kept. Where that one is lost, too, there is none after it.
  const isReportable = isPoisoned && !kinds.includes("poisoned") && (await tx.journal.hasTree(run.id));
  if (isPoisoned && !isReportable) return "too_many_losses";
  const jsons = events.map((event) => JSON.stringify(event));
  const { id: runId, fence } = run;
  await tx.events.append({ runId, fence, now: core.clock.now(), jsons });
  const entry: JournalEntry = {
    runId,
    entry: kinds.length + 1,
    kind: isPoisoned ? "poisoned" : after,
    version: JOURNAL_VERSION,
    body: "",
    tree: null,
    turn: null,
    seq: null,
  };
  await tx.journal.append(entry);
  await tx.queue.release(runId);
  return "released";
}

/** Its worker was lost before its journal had begun: it has done nothing yet. */
async function hasJustBegun(core: Core, tx: StoreTransaction, run: RunRecord): Promise<boolean> {
  // Its stream has RUN_STARTED alone.
  if (run.lastSeq !== 1 || run.fence !== 1) return false;
  const agent = await tx.agents.find(run.agentId);
  return agent !== null && core.journalledBackends.has(agent.backend);
}

/** Since the last turn, or since somebody has continued it. */
function lossesIn(kinds: readonly (JournalKind | null)[]): number {
  const begun = Math.max(kinds.lastIndexOf("turn"), kinds.lastIndexOf("continued"));
  return kinds.slice(begun + 1).filter((kind) => kind === "lost").length;
}

/** Gives a run back that this worker has. False where it could not: another worker has it, it is cancelled, or it has no journal. */
export async function handOverRun(
  core: Core,
  { runId, fence, events }: { runId: string; fence: number; events: readonly WrittenEvent[] },
): Promise<boolean> {
  const isReleased = await core.store.transact(async (tx) => {
    const run = await tx.runs.lock(runId);
    if (run === null || run.fence !== fence || run.status !== "running") return false;
    return (await releaseRun(core, tx, { run, events, after: "handover" })) === "released";
  });
  if (isReleased) core.signals.publish(runId);
  return isReleased;
}
