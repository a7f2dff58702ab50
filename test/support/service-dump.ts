// All that a service keeps, as text: to say what must not be in it.

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { StorePlace } from "./stores/stores.ts";

/** Every row of every table, and every byte of the data folder. */
export async function dumpPlace(place: StorePlace): Promise<string> {
  const { dataDir, databaseUrl } = place.settings;
  const tables = await place.query(
    databaseUrl === null
      ? "select name from sqlite_master where type = 'table'"
      : "select table_name as name from information_schema.tables where table_schema = current_schema()",
  );
  const texts: string[] = [];
  for (const { name } of tables) texts.push(JSON.stringify(await place.query(`select * from ${name}`)));
  for (const file of await readdir(dataDir, { recursive: true })) {
    const path = join(dataDir, file);
    if ((await stat(path)).isFile()) texts.push((await readFile(path)).toString("latin1"));
  }
  return texts.join("\n");
}
