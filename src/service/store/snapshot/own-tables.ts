// The names of the service's tables: a database may have others beside them, which a backup does not read and a restore leaves alone.

import { tablesOfMigrations } from "../migrate.ts";
import { kyselyOfFile } from "../sqlite.ts";
import { openDatabase } from "../sqlite-database.ts";

/** Found out by making them, in memory: there is no list that could be forgotten. */
export async function ownTables(): Promise<ReadonlySet<string>> {
  const database = openDatabase(":memory:");
  const names = database.prepare("select name from sqlite_master where type = 'table'");
  try {
    database.exec("begin");
    const tableNames = () => names.all().map((row) => String(row.name));
    return await tablesOfMigrations({ db: kyselyOfFile(database), tableNames });
  } finally {
    database.close();
  }
}
