// The place of a restored store on SQLite: a file beside the old one, which takes its place once it is whole and on disk.

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../../base/clock.ts";
import type { Cell, FilledTable, StorePlace } from "../../core/ports/store-snapshot.ts";
import { DATABASE_FILE, holdDataFolder } from "../data-folder.ts";
import { knownMigrations, migrateWithin } from "../migrate.ts";
import { kyselyOfFile, makeNewestTables } from "../sqlite.ts";
import { openDatabase } from "../sqlite-database.ts";
import { ownTables } from "./own-tables.ts";
import { quoted } from "./snapshot-queries.ts";

const UNFINISHED = `${DATABASE_FILE}.restoring`;

/** Holds the folder: throws a DataFolderInUseError while a service serves from it. */
export function openSqlitePlace(folder: string): StorePlace {
  const hold = holdDataFolder(folder);
  const path = join(folder, DATABASE_FILE);
  return {
    engine: "sqlite",
    findFilledTable: async () => findFilled(path),
    fill: async ({ newestMigration, tables }) => {
      const unfinished = join(folder, UNFINISHED);
      removeDatabase(unfinished);
      try {
        await write(unfinished, { newestMigration, tables });
      } catch (cause) {
        removeDatabase(unfinished);
        throw cause;
      }
      finishOld(path);
      renameSync(unfinished, path);
      syncFolder(folder);
    },
    close: async () => hold.release(),
  };
}

function findFilled(path: string): string | null {
  if (!existsSync(path)) return null;
  const database = openDatabase(path);
  try {
    const names = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
    for (const name of names.map((row) => String(row.name))) {
      if (!ownTables.has(name)) continue;
      if (database.prepare(`select 1 from ${quoted(name)} limit 1`).get() !== undefined) return name;
    }
    return null;
  } finally {
    database.close();
  }
}

async function write(
  path: string,
  { newestMigration, tables }: { newestMigration: string; tables: readonly FilledTable[] },
): Promise<void> {
  const database = openDatabase(path);
  try {
    // Nobody reads it before it is whole.
    database.exec("pragma journal_mode = off; pragma synchronous = off; begin");
    const db = kyselyOfFile(database);
    const newest = knownMigrations.at(-1) ?? newestMigration;
    if (newestMigration === newest) makeNewestTables(database, systemClock);
    else await migrateWithin(db, { newest: newestMigration });
    for (const table of tables) await insertRows(database, table);
    if (newestMigration !== newest) await migrateWithin(db, { newest });
    database.exec("commit");
  } finally {
    database.close();
  }
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

async function insertRows(database: DatabaseSync, { shape, rows }: FilledTable): Promise<void> {
  const { name, columns } = shape;
  // Runs at work in a backup end: nobody would use them.
  if (name === "run_secrets") return;
  const insert = database.prepare(
    `insert into ${quoted(name)} (${columns.map(quoted).join(", ")}) values (${columns.map(() => "?").join(", ")})`,
  );
  for await (const some of rows()) for (const row of some) insert.run(...(row as Cell[]));
}

/** Writes the log of the old file into it: no log is left that the new one would be taken to have. */
function finishOld(path: string): void {
  if (!existsSync(path)) return;
  const database = openDatabase(path);
  database.exec("pragma wal_checkpoint(truncate); pragma journal_mode = delete");
  database.close();
}

function removeDatabase(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
