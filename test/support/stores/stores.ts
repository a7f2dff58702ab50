// The stores that tests use: SQLite always, PostgreSQL where TEST_DATABASE_URL names one.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { NeedName } from "../../../scripts/test-needs.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { openPostgresStore } from "../../../src/service/store/postgres.ts";
import { openSqliteStore } from "../../../src/service/store/sqlite.ts";
import { createTestSchema } from "./postgres-schema.ts";

/** A place for a store, which outlives the stores that are opened on it. */
export type StorePlace = {
  /** Settings that make a service use this place. */
  readonly settings: { readonly dataDir: string; readonly databaseUrl: string | null };
  /** With the clock that the test moves, if it moves one. */
  open(clock?: Clock): Promise<Store>;
  /** Reads past the store, as an operator would. 64-bit integers may come as text. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
};

export type PlaceOptions = {
  /** Without tables, as an operator finds it. Unless told, its tables are there: making them takes longer than most tests. */
  readonly isEmpty?: boolean;
};

export type StoreKind = {
  readonly name: "SQLite" | "PostgreSQL";
  /** What tests on it need. */
  readonly tags: readonly NeedName[];
  make(options?: PlaceOptions): Promise<StorePlace>;
};

const DATABASE_FILE = "agent-service.sqlite";
let migratedFile: Promise<Buffer> | null = null;

export const sqliteStore: StoreKind = { name: "SQLite", tags: [], make: makeSqlitePlace };
/** Only for tests with the tag "postgres". */
export const postgresStore: StoreKind = { name: "PostgreSQL", tags: ["postgres"], make: makePostgresPlace };
/** For `onEveryStore` and the deployments: a test that goes through them by itself forgets what they need. */
export const storeKinds: readonly StoreKind[] = [sqliteStore, postgresStore];

async function makeSqlitePlace({ isEmpty = false }: PlaceOptions = {}): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-store-"));
  if (!isEmpty) {
    migratedFile ??= makeMigratedFile();
    await writeFile(join(folder, DATABASE_FILE), await migratedFile);
  }
  return sqlitePlaceIn(folder);
}

/** SQLite in a folder of the test's own, which it removes. */
export function sqlitePlaceIn(folder: string): StorePlace {
  return {
    settings: { dataDir: folder, databaseUrl: null },
    open: (clock) => openSqliteStore({ folder, ...(clock === undefined ? {} : { clock }) }),
    query: async (sql) => {
      const database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true });
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A database file with its tables, made once a process. */
async function makeMigratedFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-store-"));
  await (await openSqliteStore({ folder })).close();
  const file = await readFile(join(folder, DATABASE_FILE));
  await rm(folder, { recursive: true, force: true });
  return file;
}

async function makePostgresPlace({ isEmpty = false }: PlaceOptions = {}): Promise<StorePlace> {
  const schema = await createTestSchema({ isEmpty });
  const folder = await mkdtemp(join(tmpdir(), "agent-service-data-"));
  return {
    settings: { dataDir: folder, databaseUrl: schema.url },
    open: (clock) => openPostgresStore({ url: schema.url, clock }),
    query: (sql) => schema.query(sql),
    remove: async () => {
      await schema.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
