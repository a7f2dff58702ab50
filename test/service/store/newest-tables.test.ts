// A new store's tables beside those that the migrations make.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storeSources } from "../../../scripts/newest-tables.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { isUpToDate, knownMigrations, migrateToLatest } from "../../../src/service/store/migrate.ts";
import { kyselyOfFile, openSqliteStore } from "../../../src/service/store/sqlite.ts";

const NOW = Date.UTC(2026, 10, 26);

describe("the tables of a new store on SQLite", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "agent-service-store-"));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each(Object.entries(storeSources))(
    "are written by node scripts/newest-tables.ts: %s",
    async (file, source) => {
      const path = join(import.meta.dirname, "../../../src/service/store", file);
      expect(readFileSync(path, "utf8").replaceAll("\r\n", "\n")).toBe(await source());
    },
  );

  it("are those of the migrations, with the same rows", async () => {
    const migrated = new DatabaseSync(":memory:");
    await migrateToLatest(kyselyOfFile(migrated));
    for (const hold of ["exclusive", "none"] as const) {
      const place = join(folder, hold);
      await (
        await openSqliteStore({ folder: place, hold, clock: { ...systemClock, now: () => NOW } })
      ).close();
      const made = new DatabaseSync(join(place, "agent-service.sqlite"));
      expect(schemaOf(made)).toEqual(schemaOf(migrated));
      expect(rowsOf(made)).toEqual(rowsOf(migrated));
      expect(await isUpToDate(kyselyOfFile(made))).toBe(true);
      const executed = made.prepare("select name, timestamp from kysely_migration order by name").all();
      const timestamp = "2026-11-26T00:00:00.000Z";
      expect(executed.map((row) => ({ ...row }))).toEqual(
        knownMigrations.map((name) => ({ name, timestamp })),
      );
      made.close();
    }
    migrated.close();
  });
});

function schemaOf(database: DatabaseSync): unknown {
  return database
    .prepare("select type, name, tbl_name, sql from sqlite_master order by type, name")
    .all()
    .map((row) => ({ ...row }));
}

/** Of every table, without the time at which a migration was executed. */
function rowsOf(database: DatabaseSync): unknown {
  const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
  return tables.map(({ name }) => [
    name,
    database
      .prepare(`select * from "${String(name)}" order by 1`)
      .all()
      .map(({ timestamp: _timestamp, ...row }) => row),
  ]);
}
