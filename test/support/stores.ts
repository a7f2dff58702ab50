// The stores that a suite runs on: SQLite always, PostgreSQL where TEST_DATABASE_URL names one.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "../../src/service/core/ports/store.ts";
import { openPostgresStore } from "../../src/service/store/postgres.ts";
import { openSqliteStore } from "../../src/service/store/sqlite.ts";
import { createTestSchema, testDatabaseUrl } from "./postgres-schema.ts";

/** A place for a store, which outlives the stores that are opened on it. */
export type StorePlace = {
  /** Settings that make a service use this place. */
  readonly settings: { readonly dataDir: string; readonly databaseUrl: string | null };
  open(): Promise<Store>;
  /** Reads past the store, as an operator would. 64-bit integers may come as text. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
};

export type StoreKind = { readonly name: string; readonly isSkipped: boolean; make(): Promise<StorePlace> };

export const storeKinds: readonly StoreKind[] = [
  { name: "SQLite", isSkipped: false, make: makeSqlitePlace },
  {
    name: testDatabaseUrl === undefined ? "PostgreSQL (skipped: TEST_DATABASE_URL is not set)" : "PostgreSQL",
    isSkipped: testDatabaseUrl === undefined,
    make: makePostgresPlace,
  },
];

async function makeSqlitePlace(): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-store-"));
  return {
    settings: { dataDir: folder, databaseUrl: null },
    open: () => openSqliteStore({ folder }),
    query: async (sql) => {
      const database = new DatabaseSync(join(folder, "agent-service.sqlite"), { readOnly: true });
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function makePostgresPlace(): Promise<StorePlace> {
  const schema = await createTestSchema();
  const folder = await mkdtemp(join(tmpdir(), "agent-service-data-"));
  return {
    settings: { dataDir: folder, databaseUrl: schema.url },
    open: () => openPostgresStore({ url: schema.url }),
    query: (sql) => schema.query(sql),
    remove: async () => {
      await schema.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
