// The embedded store: one SQLite file in the data folder, one process. Commits are grouped: transactions that wait
// at the same time share one write to disk, and each is acknowledged only after it.
// Why: docs/decisions/003-commit-groups-on-sqlite.md

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import { systemClock } from "../../base/clock.ts";
import type { Store, StoreTransaction } from "../core/ports/store.ts";
import { holdDataFolder, prepareDataFolder, probeRoom } from "./data-folder.ts";
import { isUpToDate, migrateToLatest } from "./migrate.ts";
import { portableWrites, StoreQueries } from "./queries.ts";
import { openDatabase } from "./sqlite-database.ts";
import { isBusy, StorageState } from "./storage-state.ts";
import type { Database } from "./tables.ts";

const DATABASE_FILE = "agent-service.sqlite";
const MAX_GROUP = 64;
const MAX_CACHED_STATEMENTS = 300;
/** How long transactions wait for another process that writes, as an operator's command does. */
const MAX_BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 10;

/** Whether there is a store in the folder. */
export function hasSqliteStore(folder: string): boolean {
  return existsSync(join(folder, DATABASE_FILE));
}

export type SqliteStoreOptions = {
  readonly folder: string;
  /**
   * Default: "exclusive", one process at a time. "none" is for a tool that works briefly beside the process that has the
   * hold: each waits for the other's transactions.
   */
  readonly hold?: "exclusive" | "none";
};

/**
 * Opens the store in `folder`, and makes it where there is none. Rejects with a DataFolderInUseError while another process
 * holds the folder; a hold ends with its process. Without a hold it rejects only when the tables have to be migrated and
 * another process holds the folder.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { folder, hold = "exclusive" } = options;
  if (hold === "none") prepareDataFolder(folder);
  const lock = hold === "exclusive" ? holdDataFolder(folder) : null;
  const path = join(folder, DATABASE_FILE);
  const writing = openDatabase(path);
  // FULL: an acknowledged commit survives a power cut. WAL: readers never wait for the writer.
  writing.exec("pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -16000");
  const writer = new Kysely<Database>({ dialect: new SqliteDialect({ database: adapt(writing) }) });
  try {
    if (lock !== null) await migrateToLatest(writer);
    else if (!(await isUpToDate(writer))) await migrateAlone(writer, folder);
  } catch (cause) {
    writing.close();
    lock?.release();
    throw cause;
  }
  const reading = openDatabase(path);
  reading.exec("pragma query_only = on; pragma busy_timeout = 100");
  const reader = new Kysely<Database>({ dialect: new SqliteDialect({ database: adapt(reading) }) });
  const group = new CommitGroup(writing, queriesOn(writer));
  const storage = new StorageState();
  // From here on nothing may block the process while another one holds the store.
  writing.exec("pragma busy_timeout = 0");

  return {
    committed: queriesOn(reader),
    transact: (work) => storage.watch(() => group.run(work)),
    ping: async () => {
      reading.exec("select 1");
      await storage.check(() => probeRoom(folder));
    },
    close: async () => {
      await group.idle();
      reading.close();
      writing.close();
      lock?.release();
    },
  };
}

function queriesOn(db: Kysely<Database>): StoreQueries {
  return new StoreQueries({ db, hasRowLocks: false }, portableWrites);
}

/** Holds the folder while its tables are migrated. */
async function migrateAlone(db: Kysely<Database>, folder: string): Promise<void> {
  const lock = holdDataFolder(folder);
  try {
    await migrateToLatest(db);
  } finally {
    lock.release();
  }
}

type Waiting = {
  readonly work: (transaction: StoreTransaction) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
};

/** Runs transactions one after the other on the one writing connection, several to a commit. */
class CommitGroup {
  readonly #database: DatabaseSync;
  readonly #transaction: StoreTransaction;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;

  constructor(database: DatabaseSync, transaction: StoreTransaction) {
    this.#database = database;
    this.#transaction = transaction;
  }

  run<Value>(work: (transaction: StoreTransaction) => Promise<Value>): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.push({ work, resolve: (value) => resolve(value as Value), reject });
      this.#draining ??= this.#drain();
    });
  }

  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the event loop: transactions of requests that have arrived in the meantime join the group.
      await setImmediate();
      await this.#commitGroup();
    }
    this.#draining = null;
  }

  async #commitGroup(): Promise<void> {
    const acknowledgements: (() => void)[] = [];
    const members: Waiting[] = [];
    try {
      await this.#begin();
      while (members.length < MAX_GROUP) {
        const member = this.#waiting.shift();
        if (member === undefined) break;
        members.push(member);
        acknowledgements.push(await this.#runMember(member));
      }
      this.#database.exec("commit");
    } catch (cause) {
      if (this.#database.isTransaction) this.#database.exec("rollback");
      const failed = members.length > 0 ? members : this.#waiting.splice(0);
      for (const member of failed) member.reject(cause);
      return;
    }
    for (const acknowledge of acknowledgements) acknowledge();
  }

  async #begin(): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += BUSY_PAUSE_MS) {
      try {
        return this.#database.exec("begin immediate");
      } catch (cause) {
        if (!isBusy(cause) || waitedMs >= MAX_BUSY_MS) throw cause;
        await systemClock.sleep(BUSY_PAUSE_MS);
      }
    }
  }

  async #runMember(member: Waiting): Promise<() => void> {
    this.#database.exec("savepoint member");
    try {
      const value = await member.work(this.#transaction);
      this.#database.exec("release member");
      return () => member.resolve(value);
    } catch (cause) {
      // A full disk has undone the whole transaction.
      if (!this.#database.isTransaction) throw cause;
      this.#database.exec("rollback to member; release member");
      return () => member.reject(cause);
    }
  }
}

/** Adapts `node:sqlite` to Kysely's SQLite dialect. Each statement is prepared once. */
function adapt(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => {},
    prepare: (text) => {
      const known = statements.get(text);
      if (known !== undefined) return known;
      if (statements.size >= MAX_CACHED_STATEMENTS) statements.clear();
      const statement = adaptStatement(database.prepare(text));
      statements.set(text, statement);
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}
