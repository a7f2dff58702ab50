// The agents that work in workspaces, in SQL.

import type { Kysely, Selectable } from "kysely";
import type { MemberStore } from "../../core/ports/store/workspaces/members.ts";
import type { WorkspaceThingsPage } from "../../core/ports/store/workspaces/page.ts";
import type { Member } from "../../core/workspaces/members/member.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";
import type { WorkspaceMembersTable } from "../workspace-tables.ts";

export class SqlMembers implements MemberStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<Member | null> {
    const row = await this.#all().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toMember(row);
  }

  async findOfAgent(query: { workspaceId: string; agentId: string }): Promise<Member | null> {
    const row = await this.#all()
      .where("workspace_id", "=", query.workspaceId)
      .where("agent_id", "=", query.agentId)
      .executeTakeFirst();
    return row === undefined ? null : toMember(row);
  }

  async list({ workspaceId, before, limit }: WorkspaceThingsPage): Promise<readonly Member[]> {
    const all = this.#all().where("workspace_id", "=", workspaceId);
    const page = before === null ? all : all.where("id", "<", before);
    return (await page.orderBy("id", "desc").limit(limit).execute()).map(toMember);
  }

  async insert({ id, workspaceId, agentId, createdAt }: Member): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto("workspace_members")
      .values({ id, workspace_id: workspaceId, agent_id: agentId, created_at: createdAt })
      .onConflict((conflict) => conflict.columns(["workspace_id", "agent_id"]).doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom("workspace_members").where("id", "=", id).execute();
  }

  async deleteOfAgent(agentId: string): Promise<void> {
    await this.#db.deleteFrom("workspace_members").where("agent_id", "=", agentId).execute();
  }

  #all() {
    return this.#db.selectFrom("workspace_members").selectAll();
  }
}

function toMember(row: Selectable<WorkspaceMembersTable>): Member {
  return { id: row.id, workspaceId: row.workspace_id, agentId: row.agent_id, createdAt: row.created_at };
}
