// The agents that work in workspaces, in SQL.

import type { Kysely } from "kysely";
import type { WorkspaceThingsPage } from "../../core/ports/workspace-page.ts";
import type { Member } from "../../core/workspaces/members/member.ts";
import type { MemberStore } from "../../core/workspaces/members/store-port.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

export const memberRow = row<Member>("workspace_members")({
  id: text,
  workspaceId: text,
  agentId: text,
  createdAt: integer,
});

declare module "../tables.ts" {
  interface Database {
    workspace_members: TableOf<typeof memberRow>;
  }
}

export class SqlMembers implements MemberStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<Member | null> {
    const row = await this.#all().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : memberRow.read(row);
  }

  async findOfAgent(query: { workspaceId: string; agentId: string }): Promise<Member | null> {
    const row = await this.#all()
      .where("workspace_id", "=", query.workspaceId)
      .where("agent_id", "=", query.agentId)
      .executeTakeFirst();
    return row === undefined ? null : memberRow.read(row);
  }

  async list({ workspaceId, before, limit }: WorkspaceThingsPage): Promise<readonly Member[]> {
    const all = this.#all().where("workspace_id", "=", workspaceId);
    const page = before === null ? all : all.where("id", "<", before);
    return (await page.orderBy("id", "desc").limit(limit).execute()).map(memberRow.read);
  }

  async insert(member: Member): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto("workspace_members")
      .values(memberRow.write(member))
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
