// Writes the tables of the newest migration as one SQL text: `src/service/store/newest-tables.ts`. To be run after a migration
// was added.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { migrateToLatest } from "../src/service/store/migrate.ts";
import { kyselyOfFile } from "../src/service/store/sqlite.ts";

const PATH = join(import.meta.dirname, "../src/service/store/newest-tables.ts");

/** The source of the file, as it should be. */
export async function newestTablesSource(): Promise<string> {
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

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PATH, await newestTablesSource());
