// The embedded store: one SQLite file in the data folder, one process. Commits are grouped: transactions that wait
// at the same time share one write to disk, and each is acknowledged, and read, only after it.
// Why: docs/decisions/003-commit-groups-on-sqlite.md

import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { Kysely, type KyselyPlugin, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Store } from "../core/ports/store.ts";
import { CommitGroup } from "./commit-group.ts";
import type { Connection } from "./connection.ts";
import { DATABASE_FILE, holdDataFolder, prepareDataFolder, probeRoom } from "./data-folder.ts";
import { portableWrites } from "./frequent-writes.ts";
import { type KeptQuery, type KeptQueryRunner, KeptTexts } from "./kept-query.ts";
import { isUpToDate, knownMigrations, type MigrateOptions, migrateToLatest } from "./migrate.ts";
import { newestTables } from "./newest-tables.ts";
import { StoreQueries } from "./queries.ts";
import { RUN_SECRETS_IN_MEMORY } from "./run-secrets.ts";
import { openDatabase } from "./sqlite-database.ts";
import { StorageState } from "./storage-state.ts";
import type { Database } from "./tables.ts";
import { onlyText, TurnReads } from "./turn-reads.ts";

const MAX_CACHED_STATEMENTS = 300;
/** The growth of SQLite's log, 16 MB, before its pages go to the database: one that was written often goes there once. */
const LOG_PAGES = 4_000;

/** Whether there is a store in the folder. */
export function hasSqliteStore(folder: string): boolean {
  return existsSync(join(folder, DATABASE_FILE));
}

type SqliteStoreOptions = {
  readonly folder: string;
  /**
   * Default: "exclusive", one process at a time. "none" is for a tool that works briefly beside the process that has the
   * hold: each waits for the other's transactions.
   */
  readonly hold?: "exclusive" | "none";
  /** Whether the secrets of runs outlive the process: its operator has the key that seals them. Default: they are in memory alone. */
  readonly keepsRunSecrets?: boolean;
  /** Default: the machine's. A test passes its own. */
  readonly clock?: Clock;
};

/**
 * Opens the store in `folder`, and makes it where there is none. Rejects with a DataFolderInUseError while another process
 * holds the folder; a hold ends with its process. Without a hold it rejects only when the tables have to be migrated and
 * another process holds the folder.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { folder, hold = "exclusive", keepsRunSecrets = false, clock = systemClock } = options;
  if (hold === "none") prepareDataFolder(folder);
  const lock = hold === "exclusive" ? holdDataFolder(folder) : null;
  const path = join(folder, DATABASE_FILE);
  const writing = openDatabase(path);
  // FULL: an acknowledged commit survives a power cut. WAL: readers never wait for the writer.
  writing.exec("pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -16000");
  const leaseNow = leaseTimeOf(clock);
  const writer = connect(writing, leaseNow);
  try {
    const within = (migrate: () => Promise<void>) => inTransaction(writing, migrate);
    const makeTables = () => tablesOf(writing, { db: writer.db, within, clock });
    if (lock !== null) await makeTables();
    else if (isEmpty(writing) || !(await isUpToDate(writer.db))) await holding(folder, makeTables);
  } catch (cause) {
    writing.close();
    lock?.release();
    throw cause;
  }
  const reading = openDatabase(path);
  reading.exec("pragma query_only = on; pragma busy_timeout = 100");
  // From here on NORMAL: a commit is in the log, and the group writes the log to disk before it tells anybody. And
  // nothing may block the process while another one holds the store. What undoes a savepoint needs no file.
  writing.exec("pragma synchronous = normal; pragma busy_timeout = 0; pragma temp_store = memory");
  writing.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
  if (hold === "exclusive" && !keepsRunSecrets) writing.exec(RUN_SECRETS_IN_MEMORY);
  const log = openSync(`${path}-wal`, "r+");
  const reads = new TurnReads();
  const group = new CommitGroup({
    database: writing,
    log,
    transaction: queriesOn(writer),
    onCommit: () => reads.forget(),
  });
  const storage = new StorageState();

  return {
    committed: queriesOn(onceOnDisk({ reader: connect(reading, leaseNow), writer, writing, group, reads })),
    transact: (work) => storage.watch(() => group.run(work)),
    ping: async () => {
      reading.exec("select 1");
      await storage.check(() => probeRoom(folder));
    },
    close: async () => {
      await group.idle();
      closeSync(log);
      reading.close();
      writing.close();
      lock?.release();
    },
  };
}

function queriesOn(connection: Connection): StoreQueries {
  return new StoreQueries(connection, portableWrites);
}

/** For migrations on a file that nobody else has open. */
export function kyselyOfFile(database: DatabaseSync): Kysely<Database> {
  return kyselyOn(adapt(database));
}

function kyselyOn(database: SqliteDatabase): Kysely<Database> {
  return new Kysely<Database>({ dialect: new SqliteDialect({ database }) });
}

/** Kept queries go to `node:sqlite` without a detour: they are answered at once. */
function connect(database: DatabaseSync, leaseNow: Connection["leaseNow"]): Connection {
  const db = kyselyOn(adapt(database));
  const texts = new KeptTexts(db);
  const statements = new Map<unknown, KeptStatement>();
  const ask: KeptQueryRunner = async <Values extends object, Row>(
    query: KeptQuery<Values, Row>,
    values: Values,
  ) => {
    const text = texts.of(query);
    let statement = statements.get(query);
    if (statement === undefined) {
      statement = keepStatement(database.prepare(text.compiled.sql));
      statements.set(query, statement);
    }
    return statement(text.bind(values) as SQLInputValue[]) as Row[];
  };
  return { db, ask, hasRowLocks: false, leaseNow };
}

type KeptStatement = (values: SQLInputValue[]) => readonly object[];

/** The rows of a kept query's statement. From `node:sqlite` they come as arrays: its objects take twice as long to make and to read. */
function keepStatement(statement: StatementSync): KeptStatement {
  const names = statement.columns().map(({ name }) => name);
  if (names.length === 0) {
    return (values) => {
      statement.run(...values);
      return [];
    };
  }
  statement.setReturnArrays(true);
  const shape = JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))));
  const toRow = (cells: readonly unknown[]) => {
    const row: Record<string, unknown> = { ...shape };
    for (let at = 0; at < names.length; at += 1) row[names[at] ?? ""] = cells[at];
    return row;
  };
  return (values) => (statement.all(...values) as readonly unknown[] as readonly unknown[][]).map(toRow);
}

/** One process has the store. Its time is the wall clock's at the start, moved on by the monotonic clock. */
function leaseTimeOf(clock: Clock): Connection["leaseNow"] {
  const openedAt = clock.now();
  const openedMs = clock.monotonic();
  return async () => openedAt + clock.monotonic() - openedMs;
}

/** Answers only when everything that the rows may have seen is on disk. */
function onceOnDisk(parts: {
  reader: Connection;
  writer: Connection;
  writing: DatabaseSync;
  group: CommitGroup;
  reads: TurnReads;
}): Connection {
  const { reader, writer, writing, group, reads } = parts;
  // Between transactions the writing connection reads faster: it has the pages that it wrote, while the other one reads
  // them again after each commit.
  const askCommitted: KeptQueryRunner = (query, values) =>
    (writing.isTransaction ? reader : writer).ask(query, values);
  const ask: KeptQueryRunner = async <Values extends object, Row>(
    query: KeptQuery<Values, Row>,
    values: Values,
  ) => {
    const key = onlyText(values);
    let rows = key === null ? undefined : (reads.find(query, key) as readonly Row[] | undefined);
    if (rows === undefined) {
      const { state } = reads;
      rows = await askCommitted(query, values);
      if (key !== null) reads.keep({ query, key, rows, state });
    }
    if (group.synced !== null) await group.synced;
    return rows;
  };
  const waiting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await group.synced;
      return result;
    },
  };
  return { ...reader, ask, db: reader.db.withPlugin(waiting) };
}

/** Does `work` while no other process has the folder. */
async function holding(folder: string, work: () => Promise<void>): Promise<void> {
  const lock = holdDataFolder(folder);
  try {
    await work();
  } finally {
    lock.release();
  }
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_master limit 1").get() === undefined;
}

/** Makes the newest tables where there are none, at once: a hundred statements through Kysely take longer. Else migrates. */
async function tablesOf(
  database: DatabaseSync,
  parts: Required<Pick<MigrateOptions, "within">> & { readonly db: Kysely<Database>; readonly clock: Clock },
): Promise<void> {
  const { within, db, clock } = parts;
  if (!isEmpty(database)) return await migrateToLatest(db, { within });
  await within(async () => makeNewestTables(database, clock));
}

/** Makes this version's tables where there are none, as its migrations would. In the transaction that the connection is in. */
export function makeNewestTables(database: DatabaseSync, clock: Pick<Clock, "now">): void {
  database.exec(newestTables);
  database.exec("insert into kysely_migration_lock values ('migration_lock', 0)");
  const executed = database.prepare("insert into kysely_migration values (?, ?)");
  const at = new Date(clock.now()).toISOString();
  for (const name of knownMigrations) executed.run(name, at);
}

/**
 * Every statement of the migrations in one transaction: a process that is killed meanwhile leaves none of them half done,
 * and the disk is awaited once, not a hundred times.
 */
async function inTransaction(database: DatabaseSync, migrate: () => Promise<void>): Promise<void> {
  database.exec("begin immediate");
  try {
    await migrate();
    database.exec("commit");
  } catch (cause) {
    if (database.isTransaction) database.exec("rollback");
    throw cause;
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
