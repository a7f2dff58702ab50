// Writes the list of all migrations, `src/service/store/migrations/all.ts`, the tables of the newest as one SQL text,
// `src/service/store/newest-tables.ts`, and the names of the tables of every version, `src/service/store/snapshot/own-tables.ts`.
// To be run after a migration was added.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

const STORE = join(import.meta.dirname, "../src/service/store");
const LIST = "all.ts";

/** Where each file is below the store's folder, with its source as it should be. The tables are those of the list as it is. */
export const storeSources: Readonly<Record<string, () => Promise<string>>> = {
  [`migrations/${LIST}`]: async () => migrationsSource(),
  "newest-tables.ts": newestTablesSource,
  "snapshot/own-tables.ts": ownTablesSource,
};

function migrationsSource(): string {
  const names = readdirSync(join(STORE, "migrations"))
    .filter((file) => file !== LIST)
    .map((file) => file.replace(/\.ts$/, ""))
    .sort();
  const local = (name: string) => `m${name.slice(0, 3)}`;
  return `// Written by \`node scripts/newest-tables.ts\`. Do not edit.

import type { Migration } from "kysely";
${names.map((name) => `import * as ${local(name)} from "./${name}.ts";`).join("\n")}

/** Every migration by its name, in their order. */
export const migrations: Readonly<Record<string, Migration>> = {
${names.map((name) => `  "${name}": ${local(name)},`).join("\n")}
};
`;
}

async function newestTablesSource(): Promise<string> {
  // Imported here: the list that they read may have been written just before.
  const { migrateToLatest } = await import("../src/service/store/migrate.ts");
  const { kyselyOfFile } = await import("../src/service/store/sqlite.ts");
  const database = new DatabaseSync(":memory:");
  await migrateToLatest(kyselyOfFile(database));
  const made = database.prepare("select sql from sqlite_master where sql is not null order by rowid").all();
  database.close();
  const statements = made.map(({ sql }) => `${String(sql)};`);
  return `// Written by \`node scripts/newest-tables.ts\`. Do not edit.
// Why: docs/decisions/130-a-row-is-defined-once.md

/** All tables of this version on SQLite, as its migrations make them. */
export const newestTables = \`
${statements.join("\n").replaceAll("`", "\\`")}
\`;
`;
}

/** After each migration, since a later one may remove a table. */
async function ownTablesSource(): Promise<string> {
  const { knownMigrations, migrateWithin } = await import("../src/service/store/migrate.ts");
  const { kyselyOfFile } = await import("../src/service/store/sqlite.ts");
  const database = new DatabaseSync(":memory:");
  const db = kyselyOfFile(database);
  const made = database.prepare("select name from sqlite_master where type = 'table'");
  const names = new Set<string>();
  for (const newest of knownMigrations) {
    await migrateWithin(db, { newest });
    for (const { name } of made.all()) if (!String(name).startsWith("kysely_")) names.add(String(name));
  }
  database.close();
  return `// Written by \`node scripts/newest-tables.ts\`. Do not edit.

/**
 * The names of all tables that this version and those before it have had, without those of the migrations. A database may have others
 * beside them, which a backup does not read and a restore leaves alone.
 */
export const ownTables: ReadonlySet<string> = new Set([
${[...names]
  .sort()
  .map((name) => `  "${name}",`)
  .join("\n")}
]);
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, source] of Object.entries(storeSources)) writeFileSync(join(STORE, path), await source());
}
