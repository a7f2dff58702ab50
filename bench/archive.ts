// The size of PostgreSQL while runs end day by day, with their events and journals in the database, and where they leave it: two days of
// runs, each with as many events as the model of capacity has, and the sweep between them.

import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { makeEnd, makeOutcome, makeRun, makeRunInput } from "../fakes/records.ts";
import { opened } from "../scripts/opened.ts";
import { systemClock } from "../src/base/clock.ts";
import { systemRandom } from "../src/base/ids.ts";
import { folderBlobs } from "../src/service/blobs/folder.ts";
import type { Store } from "../src/service/core/ports/store.ts";
import { archiveJournals } from "../src/service/core/runs/archives/archive-journals.ts";
import { archiveRuns } from "../src/service/core/runs/archives/archive-runs.ts";
import { openPostgresStore } from "../src/service/store/postgres.ts";
import type { Schema } from "./postgres-schema.ts";

export const RUNS_A_DAY = 2_000;
export const EVENTS_A_RUN = 400;
const AT_ONCE = 500;
/** What ends while this works has ended before. */
const LATER_MS = 3_600_000;
/** Of a run's journal: what a turn adds to it, and the files as they are after every eighth one. Sealed, in base 64. */
export const JOURNAL = { runs: 300, turns: 20, bodyChars: 8_000, treeEvery: 8, treeChars: 40_000 };

export type ArchiveFigures = {
  /** Bytes of the table of events and its index after one day, and after two that both stay. */
  readonly oneDay: number;
  readonly twoDays: number;
  /** After two days, of which each leaves before the next begins. */
  readonly twoDaysLeft: number;
  /** Bytes of the write-ahead log: of a day's events as they are appended, and as they leave. */
  readonly appendedWal: number;
  readonly leftWal: number;
  /** Of a day in the blobs. */
  readonly blobBytes: number;
  /** Of one run that leaves. */
  readonly msARun: number;
  readonly journals: JournalFigures;
};

export type JournalFigures = Omit<ArchiveFigures, "msARun" | "journals"> & { readonly msAJournal: number };

export async function measureArchive({ url }: Schema): Promise<ArchiveFigures> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  const store = await openPostgresStore({ url });
  const closeStore = opened(() => store.close());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const closeClient = opened(() => client.end());
  try {
    const parts = { store, clock: systemClock, random: systemRandom, log: pino({ level: "warn" }) };
    const sweep = { blobs: folderBlobs(folder), endedBefore: Date.now() + LATER_MS, isStopped: () => false };
    const { msARun, ...events } = await measureTable(new Database(client, "run_events"), {
      folder,
      runs: RUNS_A_DAY,
      fill: (day) => speak(store, day),
      leave: () => archiveRuns(parts, sweep),
    });
    const { msARun: msAJournal, ...journals } = await measureTable(new Database(client, "run_journal"), {
      folder,
      runs: JOURNAL.runs,
      fill: (day) => keepJournals(store, day),
      leave: () => archiveJournals(parts, sweep),
    });
    return { ...events, msARun, journals: { ...journals, msAJournal } };
  } finally {
    await closeClient();
    await closeStore();
    await removeFolder();
  }
}

type Days = {
  /** Where the blobs are. */
  readonly folder: string;
  /** Of a day. */
  readonly runs: number;
  readonly fill: (day: string) => Promise<void>;
  readonly leave: () => Promise<unknown>;
};

async function measureTable(
  database: Database,
  { folder, runs, fill, leave }: Days,
): Promise<Omit<ArchiveFigures, "journals">> {
  const bytesBefore = await bytesIn(folder);
  const appendedWal = await database.walOf(() => fill("first"));
  await database.vacuum();
  const oneDay = await database.bytes();
  const startedAt = performance.now();
  const leftWal = await database.walOf(leave);
  const msARun = (performance.now() - startedAt) / runs;
  const blobBytes = (await bytesIn(folder)) - bytesBefore;
  await database.vacuum();
  await fill("second");
  await leave();
  await database.vacuum();
  const twoDaysLeft = await database.bytes();
  await database.empty();
  await fill("third");
  await fill("fourth");
  await database.vacuum();
  const twoDays = await database.bytes();
  return { oneDay, twoDays, twoDaysLeft, appendedWal, leftWal, blobBytes, msARun };
}

class Database {
  readonly #client: pg.Client;
  readonly #table: "run_events" | "run_journal";

  constructor(client: pg.Client, table: "run_events" | "run_journal") {
    this.#client = client;
    this.#table = table;
  }

  /** With its index, and what is stored beside it. */
  async bytes(): Promise<number> {
    return await this.#number(`select pg_total_relation_size('${this.#table}')`);
  }

  /** As autovacuum does it, which a benchmark cannot wait for. */
  async vacuum(): Promise<void> {
    await this.#client.query(`vacuum ${this.#table}`);
  }

  async empty(): Promise<void> {
    await this.#client.query(`truncate ${this.#table}`);
  }

  async walOf(work: () => Promise<unknown>): Promise<number> {
    const begin = await this.#number("select pg_current_wal_lsn() - '0/0'::pg_lsn");
    await work();
    return (await this.#number("select pg_current_wal_lsn() - '0/0'::pg_lsn")) - begin;
  }

  async #number(sql: string): Promise<number> {
    const { rows } = await this.#client.query({ text: sql, rowMode: "array" });
    return Number(rows[0]?.[0]);
  }
}

/** A day of runs that have ended. */
async function speak(store: Store, day: string): Promise<void> {
  const now = Date.now();
  for (let index = 0; index < RUNS_A_DAY; index += 1) {
    const id = `${day}-${index}`;
    await store.transact(async (tx) => {
      await tx.sessions.insert({ id: `thread-${id}`, agentId: "agent-1", createdAt: 0 });
      await tx.runs.insert(makeRun({ id, sessionId: `thread-${id}` }), makeRunInput());
      await tx.queue.start({ runId: id, now });
    });
    const jsons = Array.from({ length: EVENTS_A_RUN - 2 }, (_, event) => eventOf(index, event));
    for (let at = 0; at < jsons.length; at += AT_ONCE)
      await store.transact((tx) =>
        tx.events.append({ runId: id, fence: 1, now, jsons: jsons.slice(at, at + AT_ONCE) }),
      );
    await store.transact((tx) =>
      tx.events.end(
        makeEnd({
          runId: id,
          now,
          jsons: [JSON.stringify({ type: "RUN_FINISHED", threadId: `thread-${id}`, runId: id })],
          outcome: makeOutcome({ endedAt: now }),
        }),
      ),
    );
  }
}

/** The journals of a day of runs that have ended. */
async function keepJournals(store: Store, day: string): Promise<void> {
  const now = Date.now();
  const { runs, turns, bodyChars, treeEvery, treeChars } = JOURNAL;
  for (let index = 0; index < runs; index += 1) {
    const runId = `${day}-${index}`;
    await store.transact(async (tx) => {
      for (let turn = 1; turn <= turns; turn += 1) {
        const tree = turn % treeEvery === 0 ? sealedText(treeChars) : null;
        const kept = { kind: "turn", version: 2, body: sealedText(bodyChars), tree, seq: turn } as const;
        await tx.journal.append({ runId, entry: turn, turn, ...kept });
      }
      await tx.journal.end({ runId, now });
    });
  }
}

/** Nothing compresses it. */
function sealedText(chars: number): string {
  return randomBytes((chars * 3) / 4).toString("base64");
}

/** Most are words of the model; some are what a tool has read. */
function eventOf(run: number, event: number): string {
  if (event % 40 === 7) {
    const content = Array.from(
      { length: 40 },
      (_, line) => `export const value${line} = ${run * line + event};`,
    );
    return JSON.stringify({
      type: "TOOL_CALL_RESULT",
      messageId: `result-${event}`,
      toolCallId: `call-${event}`,
      content: content.join("\n"),
      role: "tool",
    });
  }
  const delta = `word ${(run * 31 + event * 17) % 997} of the model `;
  return JSON.stringify({ type: "TEXT_MESSAGE_CONTENT", messageId: "message-1", delta });
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
