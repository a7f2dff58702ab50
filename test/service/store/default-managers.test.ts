// Managers that were made with workspaces by an earlier version: those of deleted workspaces are retired, the others belong to theirs.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { undoPeople } from "../../support/stores/before-people.ts";
import { undoUsage } from "../../support/stores/before-usage.ts";
import { sqliteStore } from "../../support/stores/stores.ts";

const MADE = 1_790_000_000_000;
const idAt = (ms: number, tail: string) => {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${tail.padStart(12, "0")}`;
};
const agents = {
  orphan: idAt(MADE, "a1"),
  living: idAt(MADE + 60_000, "a2"),
  /** Made by name, and never of a workspace. */
  own: idAt(MADE + 120_000, "a3"),
};
const workspaces = { gone: idAt(MADE + 2, "b1"), living: idAt(MADE + 60_001, "b2") };
const account = "01890000-0000-7000-8000-000000000001";

it("retires the managers of deleted workspaces, and knows the others as their workspaces'", async () => {
  const place = await sqliteStore.make();
  if (place === undefined) throw new Error("There is no store.");
  try {
    await (await place.open()).close();
    const database = new DatabaseSync(join(place.settings.dataDir, "agent-service.sqlite"));
    database.exec(`
      drop index runs_payer; drop index runs_last_start;
      drop index agents_workspace; alter table agents drop column workspace_id;
      drop index agents_deleted; alter table agents drop column deleted_at; alter table agents drop column erased_at;
      drop table repository_accesses; drop table run_journal; drop table released_runs;
      drop table default_heads; alter table runs drop column works_on; alter table runs drop column parked;
      alter table runs drop column checks; alter table runs drop column delivery;
      alter table runs drop column about; alter table runs drop column request;
      alter table cost_reservations drop column before_micro_usd;
      ${undoUsage.join("; ")};
      ${undoPeople.join("; ")};
      delete from kysely_migration where name >= '018-default-managers';`);
    for (const id of Object.values(agents)) {
      database
        .prepare(
          "insert into agents (id, account_id, name, kind, config, backend, created_at) values (?, ?, 'w manager', 'independent', '{}', 'offline', ?)",
        )
        .run(id, account, MADE);
    }
    const [copy, revision] = [idAt(MADE, "c1"), idAt(MADE, "d1")];
    database
      .prepare(
        `insert into workspaces (id, account_id, name, manager_agent_id, state, canonical_copy_id, current_revision_id, metadata, created_at)
         values (?, ?, 'w', ?, 'ready', ?, ?, '{}', ?)`,
      )
      .run(workspaces.living, account, agents.living, copy, revision, MADE);
    database
      .prepare("insert into workspace_members (id, workspace_id, agent_id, created_at) values (?, ?, ?, ?)")
      .run(idAt(MADE, "e1"), workspaces.living, agents.living, MADE);
    database
      .prepare(
        `insert into operations (id, workspace_id, account_id, kind, status, input, progress, result, fence, lease_until, created_at, kept_until)
         values (?, ?, ?, 'erase_workspace', 'succeeded', '{}', '{}', '{}', 1, 0, ?, ?)`,
      )
      .run(idAt(MADE, "f1"), workspaces.gone, account, MADE + 5_000, MADE * 2);
    database.close();
    const store = await place.open();
    const stateOf = async (id: string) => {
      const agent = await store.committed.agents.find(id);
      return [agent?.retiredAt, agent?.workspaceId];
    };
    expect(await stateOf(agents.orphan)).toEqual([MADE + 5_000, null]);
    expect(await stateOf(agents.living)).toEqual([null, workspaces.living]);
    expect(await stateOf(agents.own)).toEqual([null, null]);
    // Of those that take work, the plan counts the one that was made by name.
    expect(await store.committed.agents.count(account)).toBe(1);
    await store.close();
  } finally {
    await place.remove();
  }
});
