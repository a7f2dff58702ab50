// A store of an earlier version is brought to this version's tables with its rows kept.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import { type StorePlace, sqliteStore } from "../../support/stores/stores.ts";

/** What the migrations after the first have made. */
const FIRST_TABLES = `
  drop table oauth_artifacts; drop table oauth_grants; drop table service_secrets;
  drop index credentials_grant; drop index credentials_expiry;
  alter table credentials drop column client_id; alter table credentials drop column scope;
  alter table credentials drop column resource; alter table credentials drop column grant_id;
  alter table credentials drop column expires_at;
  alter table credentials rename column kind to caller_class;
  alter table credentials rename to api_keys;
  update api_keys set caller_class = case caller_class when 'owner_key' then 'owner' else 'ai_client' end;
  drop table request_keys; drop table workspaces; drop table workspace_members;
  drop table workspace_threads; drop table context_items; drop table workspace_objects;
  drop table copies; drop table copy_entries; drop table copy_trash; drop table download_links;
  drop table revisions; drop table retention_pins; drop table workspace_sweeps; drop table operations;
  drop table changesets; drop table adoptions; drop table task_groups; drop table workspace_runs;
  drop table workers; drop table sites; drop table site_links; drop table workspace_feeds;
  drop table workspace_events; drop table workspace_schedules; drop table workspace_workflows;
  drop table web_sessions;
  drop table run_views; drop index runs_children;
  drop table approvals; drop table write_grants; drop index runs_question;
  drop table cost_reservations;
  drop table sign_in_links; drop table sign_in_attempts; drop table identities; drop table passkeys;
  alter table accounts drop column signed_in_at; alter table audit_entries drop column method;
  drop index runs_refunded;
  drop table free_calls;
  alter table runs drop column price;
  alter table runs drop column refund_withheld_reason;
  drop table blobs; drop table packs;
  drop table run_secrets; alter table runs drop column model_billing;
  alter table agents drop column egress;
  drop index agents_workspace; alter table agents drop column workspace_id;
  drop index agents_deleted;
  alter table agents drop column deleted_at; alter table agents drop column erased_at;
  drop table repository_accesses;
  drop table default_heads; alter table runs drop column works_on;
  delete from kysely_migration where name > '001-first-tables';`;

const keys = (["owner", "ai_client"] as const).map((callerClass) => ({
  id: `key-of-${callerClass}`,
  hash: `hash-of-${callerClass}`,
  accountId: "account-1",
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
      expect(await store.committed.credentials.listKeys(null)).toEqual(keys.toReversed());
      const call = { billingAccount: "account:1", month: "2026-11", tool: "shell", allowed: 1 };
      const take = () => store.transact((tx) => tx.ledger.takeFreeCall(call));
      expect([await take(), await take()]).toEqual([true, false]);
    } finally {
      await store.close();
    }
  });
});
