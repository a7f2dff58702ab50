// A store whose tables another version has made.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NewerTablesError } from "../../../src/service/store/migrate.ts";
import { openSqliteStore } from "../../../src/service/store/sqlite.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

onEveryStore((kind) => {
  describe("migrations", () => {
    let place: StorePlace;

    beforeEach(async () => {
      place = await kind.make({ isEmpty: true });
    });

    afterEach(() => place.remove());

    it("refuse a store that a newer version has changed, and leave it as it is", async () => {
      await (await place.open()).close();
      await execute(place, "insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')");
      await expect(place.open()).rejects.toBeInstanceOf(NewerTablesError);
      await expect(place.open()).rejects.toThrow(
        'The store has tables of a newer version of agent-service: this version does not know migration "999-later". Start the newer version, or restore a backup from before the upgrade.',
      );
      const { dataDir, databaseUrl } = place.settings;
      if (databaseUrl === null)
        await expect(openSqliteStore({ folder: dataDir, hold: "none" })).rejects.toThrow("999-later");
      expect((await place.query("select name from kysely_migration order by name")).at(-1)).toEqual({
        name: "999-later",
      });
    });

    it("that fail half way leave nothing behind, so that the next start makes every table", async () => {
      await (await place.open()).close();
      const [{ name: last }] = (await place.query(
        "select name from kysely_migration order by name desc limit 1",
      )) as [{ name: string }];
      await place.remove();
      place = await kind.make({ isEmpty: true });
      // A late migration makes this table.
      await execute(place, "create table run_views (hash text)");
      await expect(place.open()).rejects.toThrow("this version's tables");
      await expect(place.query("select count(*) from runs")).rejects.toThrow(/runs/);
      await execute(place, "drop table run_views");
      await (await place.open()).close();
      expect((await place.query("select name from kysely_migration order by name")).at(-1)).toEqual({
        name: last,
      });
    });
  });
});

async function execute(place: StorePlace, sql: string): Promise<void> {
  const { dataDir, databaseUrl } = place.settings;
  if (databaseUrl !== null) {
    await place.query(sql);
    return;
  }
  const database = new DatabaseSync(join(dataDir, "agent-service.sqlite"));
  database.exec(sql);
  database.close();
}
