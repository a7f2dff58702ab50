// Migrates a database to this version's tables. Forward only; Kysely's lock lets one node migrate at a time.

import { type Kysely, type Migration, Migrator, sql } from "kysely";
import { OperatorError } from "../../base/operator-error.ts";
import * as firstTables from "./migrations/001-first-tables.ts";
import * as withheldRefunds from "./migrations/002-withheld-refunds.ts";
import * as prices from "./migrations/003-prices.ts";
import * as runSecrets from "./migrations/004-run-secrets.ts";
import * as agentsEgress from "./migrations/005-agents-egress.ts";
import * as packs from "./migrations/006-packs.ts";
import * as costReservations from "./migrations/007-cost-reservations.ts";
import * as credentials from "./migrations/008-credentials.ts";
import * as webSessions from "./migrations/009-web-sessions.ts";
import * as signIn from "./migrations/010-sign-in.ts";
import * as oauth from "./migrations/011-oauth.ts";
import * as approvals from "./migrations/012-approvals.ts";
import * as runViews from "./migrations/013-run-views.ts";
import * as workspaces from "./migrations/014-workspaces.ts";
import * as tokenSuccessors from "./migrations/015-token-successors.ts";
import * as lostBlobs from "./migrations/016-lost-blobs.ts";
import * as operationFaults from "./migrations/017-operation-faults.ts";
import * as defaultManagers from "./migrations/018-default-managers.ts";
import * as commitsOfRuns from "./migrations/019-commits-of-runs.ts";
import * as deletedAgents from "./migrations/020-deleted-agents.ts";
import * as repositoryAccess from "./migrations/021-repository-access.ts";
import type { Database } from "./tables.ts";

const migrations: Record<string, Migration> = {
  "001-first-tables": firstTables,
  "002-withheld-refunds": withheldRefunds,
  "003-prices": prices,
  "004-run-secrets": runSecrets,
  "005-agents-egress": agentsEgress,
  "006-packs": packs,
  "007-cost-reservations": costReservations,
  "008-credentials": credentials,
  "009-web-sessions": webSessions,
  "010-sign-in": signIn,
  "011-oauth": oauth,
  "012-approvals": approvals,
  "013-run-views": runViews,
  "014-workspaces": workspaces,
  "015-token-successors": tokenSuccessors,
  "016-lost-blobs": lostBlobs,
  "017-operation-faults": operationFaults,
  "018-default-managers": defaultManagers,
  "019-commits-of-runs": commitsOfRuns,
  "020-deleted-agents": deletedAgents,
  "021-repository-access": repositoryAccess,
};

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

/** The names of all tables that this version and those before it have had, without those of the migrations. */
export async function tablesOfMigrations(empty: {
  readonly db: Kysely<Database>;
  readonly tableNames: () => readonly string[];
}): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const newest of knownMigrations) {
    await migrateWithin(empty.db, { newest });
    for (const name of empty.tableNames()) if (!name.startsWith("kysely_")) names.add(name);
  }
  return names;
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
