// What is in each table of a store, as one hash a table: of all rows, whatever their order.

import { createHash } from "node:crypto";
import type { StorePlace } from "../stores/stores.ts";

/** Kysely's own: the time at which a migration was made here, and a lock. */
const OF_THE_PLACE = /^kysely_|^sqlite_/;

/** Nothing serves from the store. */
export async function hashRows(place: StorePlace): Promise<ReadonlyMap<string, string>> {
  const names =
    place.settings.databaseUrl === null
      ? "select name from sqlite_master where type = 'table' order by name"
      : "select tablename as name from pg_tables where schemaname = current_schema() order by tablename";
  const hashes = new Map<string, string>();
  for (const { name } of await place.query(names)) {
    const table = String(name);
    if (OF_THE_PLACE.test(table)) continue;
    const rows = (await place.query(`select * from "${table}"`)).map(rowHash).sort();
    hashes.set(table, createHash("sha256").update(rows.join("\n")).digest("hex"));
  }
  return hashes;
}

function rowHash(row: Readonly<Record<string, unknown>>): string {
  const hash = createHash("sha256");
  for (const name of Object.keys(row).sort()) {
    const cell = row[name];
    hash.update(`${name}\0${typeof cell}\0`);
    hash.update(cell instanceof Uint8Array ? cell : String(JSON.stringify(cell)));
    hash.update("\0");
  }
  return hash.digest("base64");
}
