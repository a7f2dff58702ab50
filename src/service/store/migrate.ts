// Migrates a database to this version's tables. Forward only; Kysely's lock lets one node migrate at a time.

import { type Kysely, type Migration, Migrator } from "kysely";
import * as firstTables from "./migrations/001-first-tables.ts";
import * as withheldRefunds from "./migrations/002-withheld-refunds.ts";
import type { Database } from "./tables.ts";

const migrations: Record<string, Migration> = {
  "001-first-tables": firstTables,
  "002-withheld-refunds": withheldRefunds,
};

/** Runs the migrations that are missing, each once. Rejects when one fails or when the database is newer than this version. */
export async function migrateToLatest(
  db: Kysely<Database>,
  options: { schema?: string } = {},
): Promise<void> {
  const { error } = await migratorOf(db, options).migrateToLatest();
  if (error !== undefined) {
    throw new Error("The database could not be brought to this version's tables.", { cause: error });
  }
}

/** True when no migration is missing. Changes nothing. */
export async function isUpToDate(db: Kysely<Database>, options: { schema?: string } = {}): Promise<boolean> {
  const infos = await migratorOf(db, options).getMigrations();
  return infos.every(({ executedAt }) => executedAt !== undefined);
}

function migratorOf(db: Kysely<Database>, options: { schema?: string }): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    ...(options.schema === undefined ? {} : { migrationTableSchema: options.schema }),
  });
}
