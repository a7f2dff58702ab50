// Migrates a database to this version's tables. Forward only; Kysely's lock lets one node migrate at a time.

import { type Kysely, Migrator, sql } from "kysely";
import { OperatorError } from "../../base/operator-error.ts";
import { migrations } from "./migrations/all.ts";
import type { Database } from "./tables.ts";

/** The migrations that this version knows, in their order. */
export const knownMigrations: readonly string[] = Object.keys(migrations);

export type MigrateOptions = {
  readonly schema?: string;
  /** Where what migrates is one transaction: all of it happens, or nothing. Default: a migration is one where it can be. */
  readonly within?: (migrate: () => Promise<void>) => Promise<void>;
};

/** A newer version has changed the tables. */
export class NewerTablesError extends OperatorError {
  readonly code = "newer_tables";

  constructor(migration: string) {
    super(
      `The store has tables of a newer version of agent-service: this version does not know migration "${migration}". Start the newer version, or restore a backup from before the upgrade.`,
    );
  }
}

/**
 * Runs the migrations that are missing, each once. Rejects when one fails, and with a NewerTablesError when the tables are
 * newer than this version.
 */
export async function migrateToLatest(db: Kysely<Database>, options: MigrateOptions = {}): Promise<void> {
  if (await isUpToDate(db, options)) return;
  const { within = (migrate) => migrate() } = options;
  await within(async () => {
    const { error } = await migratorOf(db, options).migrateToLatest();
    if (error === undefined) return;
    throw new Error("The database could not be brought to this version's tables.", { cause: error });
  });
}

/** Throws a NewerTablesError where this version does not know one of these migrations. */
export function checkKnown(executed: readonly string[]): void {
  const unknown = findUnknown(executed);
  if (unknown !== null) throw new NewerTablesError(unknown);
}

/** The first of these migrations that this version does not know. */
export function findUnknown(executed: readonly string[]): string | null {
  return executed.find((name) => !knownMigrations.includes(name)) ?? null;
}

/** Runs the migrations up to `newest` in the transaction that the connection is in. Rejects when one fails. */
export async function migrateWithin(
  db: Kysely<Database>,
  { newest, schema }: { readonly newest: string; readonly schema?: string },
): Promise<void> {
  const migrator = migratorOf(db, { ...(schema === undefined ? {} : { schema }), isWithin: true });
  const { error } = await migrator.migrateTo(newest);
  if (error !== undefined) throw new Error(`The tables of "${newest}" could not be made.`, { cause: error });
}

/** True when no migration is missing. Rejects with a NewerTablesError. Changes nothing. */
export async function isUpToDate(db: Kysely<Database>, options: MigrateOptions = {}): Promise<boolean> {
  const infos = await migratorOf(db, options).getMigrations();
  const isNew = infos.every(({ executedAt }) => executedAt === undefined);
  // Its tables do not exist yet, nor does the table of migrations.
  if (isNew) return false;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  checkKnown(rows.map(({ name }) => name));
  return infos.every(({ executedAt }) => executedAt !== undefined);
}

function migratorOf(
  db: Kysely<Database>,
  options: MigrateOptions & { readonly isWithin?: boolean },
): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    disableTransactions: options.isWithin === true,
    ...(options.schema === undefined ? {} : { migrationTableSchema: options.schema }),
  });
}
