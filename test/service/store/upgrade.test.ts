// A store of an earlier version is brought to this version's tables with its rows kept.

import { renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import { knownMigrations, migrateWithin } from "../../../src/service/store/migrate.ts";
import { kyselyOfFile } from "../../../src/service/store/sqlite.ts";
import { type StorePlace, sqliteStore } from "../../support/stores/stores.ts";

const keys = (["owner", "ai_client"] as const).map((callerClass) => ({
  id: `key-of-${callerClass}`,
  hash: `hash-of-${callerClass}`,
  accountId: "account-1",
  personId: "account-1",
  callerClass,
  name: callerClass,
  hint: "abcd",
  createdAt: 1_000,
  lastUsedAt: callerClass === "owner" ? 1_500 : null,
  revokedAt: null,
}));

describe("a store of an earlier version", () => {
  let place: StorePlace | undefined;
  afterEach(() => place?.remove());

  it("keeps its keys, says of charged failures why they were charged, and has runs at the price of all", async () => {
    place = await sqliteStore.make();
    if (place === undefined) throw new Error("There is no store.");
    const begun = await place.open();
    const failed = {
      status: "failed",
      startedAt: 1_000,
      heartbeatAt: 1_500,
      endedAt: 2_000,
      cause: "backend_error",
      grossMicroUsd: 8_333,
    } as const;
    await begun.transact(async (tx) => {
      await tx.runs.insert(makeRun({ ...failed, id: "charged" }), makeRunInput());
      const refund = { refundedMicroUsd: 8_333, refundReason: "backend_error" };
      await tx.runs.insert(makeRun({ ...failed, ...refund, id: "refunded" }), makeRunInput());
      for (const key of keys) await tx.credentials.insert({ kind: "key", ...key });
    });
    await begun.close();
    await makeFirstVersion(join(place.settings.dataDir, "agent-service.sqlite"));

    const store = await place.open();
    try {
      expect(await store.committed.runs.find("charged")).toMatchObject({
        refundWithheldReason: "output_schema",
        price: null,
        checks: null,
      });
      expect(await store.committed.runs.find("refunded")).toMatchObject({ refundWithheldReason: null });
      expect(await store.committed.credentials.listKeys(null)).toEqual(keys.toReversed());
      const call = { billingAccount: "account:1", month: "2026-11", tool: "shell", allowed: 1 };
      const take = () => store.transact((tx) => tx.ledger.takeFreeCall(call));
      expect([await take(), await take()]).toEqual([true, false]);
    } finally {
      await store.close();
    }
  });
});

/** Makes the store one of the first version, with its rows as far as the first tables have their columns. */
async function makeFirstVersion(path: string): Promise<void> {
  const newest = `${path}.newest`;
  renameSync(path, newest);
  const database = new DatabaseSync(path);
  database.exec("begin");
  await migrateWithin(kyselyOfFile(database), { newest: knownMigrations[0] ?? "" });
  database.exec("commit");
  database.prepare("attach ? as newest").run(newest);
  for (const { name } of database.prepare("select name from sqlite_master where type = 'table'").all()) {
    const table = String(name);
    const first = columnsOf(database, "main", table);
    const shared = columnsOf(database, "newest", table).filter((column) => first.includes(column));
    if (table.startsWith("kysely_") || shared.length === 0) continue;
    database.exec(`insert into main.${table} (${shared}) select ${shared} from newest.${table}`);
  }
  const kept = ["id", "hash", "account_id", "name", "hint", "created_at", "last_used_at", "revoked_at"];
  database.exec(`
    insert into api_keys (${kept}, caller_class)
    select ${kept}, case kind when 'owner_key' then 'owner' else 'ai_client' end from newest.credentials`);
  database.close();
}

function columnsOf(database: DatabaseSync, schema: string, table: string): readonly string[] {
  const found = database.prepare("select name from pragma_table_info(?, ?)").all(table, schema);
  return found.map(({ name }) => String(name));
}
