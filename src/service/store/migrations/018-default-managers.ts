// Forward only. An agent that was made as the manager of a workspace belongs to it. Those whose workspace is gone are retired: they counted
// in the plan's cap of agents, and nothing showed them.

import type { Kysely } from "kysely";

type Tables = {
  agents: {
    id: string;
    account_id: string | null;
    kind: string | null;
    name: string;
    created_at: number;
    retired_at: number | null;
    workspace_id: string | null;
  };
  workspaces: { id: string; account_id: string; manager_agent_id: string; state: string };
  workspace_members: { workspace_id: string; agent_id: string };
  operations: { workspace_id: string; account_id: string; kind: string; created_at: number };
};

/** Both ids were made in one transaction, and begin with their milliseconds. */
const SAME_REQUEST_MS = 1_000;

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("agents").addColumn("workspace_id", "text").execute();
  await db.schema.createIndex("agents_workspace").on("agents").column("workspace_id").execute();
  const managers = await db
    .selectFrom("agents")
    .select(["id", "account_id"])
    .where("kind", "=", "independent")
    .where("name", "like", "% manager")
    .where("retired_at", "is", null)
    .execute();
  for (const { id, account_id: accountId } of managers) {
    if (accountId === null) continue;
    const isMadeWith = ({ workspace_id }: { workspace_id: string }) =>
      Math.abs(madeAt(workspace_id) - madeAt(id)) <= SAME_REQUEST_MS;
    const memberships = await db
      .selectFrom("workspace_members")
      .innerJoin("workspaces", "workspaces.id", "workspace_members.workspace_id")
      .select(["workspace_id", "workspaces.manager_agent_id", "workspaces.state"])
      .where("agent_id", "=", id)
      .execute();
    const own = memberships.find((one) => one.state !== "erasing" && isMadeWith(one));
    if (own !== undefined) {
      await db.updateTable("agents").set({ workspace_id: own.workspace_id }).where("id", "=", id).execute();
      continue;
    }
    if (memberships.some((one) => one.state !== "erasing" && one.manager_agent_id === id)) continue;
    const erasures = await db
      .selectFrom("operations")
      .select(["workspace_id", "created_at"])
      .where("account_id", "=", accountId)
      .where("kind", "=", "erase_workspace")
      .execute();
    const erasure = erasures.find(isMadeWith);
    if (erasure !== undefined)
      await db.updateTable("agents").set({ retired_at: erasure.created_at }).where("id", "=", id).execute();
  }
}

function madeAt(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}
