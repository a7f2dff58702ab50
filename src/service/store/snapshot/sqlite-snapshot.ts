// A snapshot of the embedded store: one read transaction on a connection of its own, beside the process that serves.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { OperatorError } from "../../../base/operator-error.ts";
import type { Cell, DeletionHold, SnapshotRow, StoreSnapshot } from "../../core/ports/store-snapshot.ts";
import { DATABASE_FILE } from "../data-folder.ts";
import { checkKnown } from "../migrate.ts";
import { openDatabase } from "../sqlite-database.ts";
import { ownTables } from "./own-tables.ts";
import {
  blobsQuery,
  countByKey,
  endHoldStatement,
  holdStatement,
  identityQuery,
  migrationsQuery,
  namedBlob,
  rowsQuery,
  sealedQuery,
} from "./snapshot-queries.ts";

const ROWS_AT_ONCE = 500;

/** Changes nothing, the tables of an older version neither. Rejects with an OperatorError where there is no store, or a newer one. */
export async function openSqliteSnapshot(folder: string): Promise<StoreSnapshot> {
  const path = join(folder, DATABASE_FILE);
  if (!existsSync(path)) throw new OperatorError(noStoreText(folder));
  const database = openDatabase(path);
  try {
    database.exec("pragma query_only = on; begin");
    return snapshotOn(database, folder);
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** Lets deletions of blobs wait until it is released, or has not been renewed for a while. */
export function holdSqliteDeletions(folder: string): DeletionHold {
  const database = openDatabase(join(folder, DATABASE_FILE));
  const names = texts(database, "select name from sqlite_master where name = 'service_secrets'");
  const write = (statement: string) => (names.length === 0 ? undefined : database.exec(statement));
  const renew = () => write(holdStatement("unixepoch() * 1000"));
  renew();
  return {
    renew: async () => renew(),
    release: async () => {
      write(endHoldStatement);
      database.close();
    },
  };
}

function snapshotOn(database: DatabaseSync, folder: string): StoreSnapshot {
  // The first read is the time of the snapshot.
  const names = texts(database, "select name from sqlite_master where type = 'table' order by name");
  if (!names.includes("kysely_migration")) throw new OperatorError(noStoreText(folder));
  const migrations = texts(database, migrationsQuery);
  checkKnown(migrations);
  const tables = names
    .filter((name) => ownTables.has(name))
    .map((name) => ({ name, columns: columnsOf(database, name) }));
  const identity = names.includes("service_secrets") ? (texts(database, identityQuery)[0] ?? null) : null;
  const sealed = sealedQuery(names);
  const blobs = blobsQuery(tables);
  return {
    engine: "sqlite",
    migrations,
    tables,
    identity,
    sealedBy: countByKey(sealed === null ? [] : texts(database, sealed)),
    rows: (table) => rowsOf(database, rowsQuery(table)),
    blobs: async function* () {
      if (blobs === null) return;
      for await (const rows of rowsOf(database, blobs)) yield rows.map(namedBlob);
    },
    close: async () => database.close(),
  };
}

async function* rowsOf(database: DatabaseSync, query: string): AsyncGenerator<readonly SnapshotRow[]> {
  const statement = database.prepare(query);
  statement.setReturnArrays(true);
  let rows: SnapshotRow[] = [];
  for (const row of statement.iterate() as Iterable<unknown>) {
    rows.push((row as SQLOutputValue[]).map(cellOf));
    if (rows.length < ROWS_AT_ONCE) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function cellOf(value: SQLOutputValue): Cell {
  if (typeof value === "bigint") throw new RangeError("An integer of the store has more than 53 bits.");
  return value;
}

function texts(database: DatabaseSync, query: string): string[] {
  return database
    .prepare(query)
    .all()
    .map((row) => String(Object.values(row)[0]));
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  return texts(database, `select name from pragma_table_info('${table.replaceAll("'", "''")}') order by cid`);
}

function noStoreText(folder: string): string {
  return `There is no store in ${resolve(folder)}. Name the service's data folder with --data-dir or DATA_DIR, or its database with DATABASE_URL.`;
}
