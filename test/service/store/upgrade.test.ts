// A store of an earlier version is brought to this version's tables with its rows kept.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import { type StorePlace, storeKinds } from "../../support/stores/stores.ts";

/** What the migrations after the first have made. */
const FIRST_TABLES = `
  drop table cost_reservations;
  drop index runs_refunded;
  drop table free_calls;
  alter table runs drop column price;
  alter table runs drop column refund_withheld_reason;
  drop table blobs; drop table packs;
  drop table run_secrets; alter table runs drop column model_billing;
  alter table agents drop column egress;
  delete from kysely_migration where name > '001-first-tables';`;

describe("a store of an earlier version", () => {
  let place: StorePlace | undefined;
  afterEach(() => place?.remove());

  it("says of charged failures why they were charged, and has runs at the price of all", async () => {
    place = await storeKinds[0]?.make();
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
    });
    await begun.close();
    const database = new DatabaseSync(join(place.settings.dataDir, "agent-service.sqlite"));
    database.exec(FIRST_TABLES);
    database.close();

    const store = await place.open();
    try {
      expect(await store.committed.runs.find("charged")).toMatchObject({
        refundWithheldReason: "output_schema",
        price: null,
      });
      expect(await store.committed.runs.find("refunded")).toMatchObject({ refundWithheldReason: null });
      const call = { billingAccount: "account:1", month: "2026-11", tool: "shell", allowed: 1 };
      const take = () => store.transact((tx) => tx.ledger.takeFreeCall(call));
      expect([await take(), await take()]).toEqual([true, false]);
    } finally {
      await store.close();
    }
  });
});
