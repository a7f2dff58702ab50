// Workspaces in SQL.

import type { Kysely } from "kysely";
import { type WorkspaceState, workspaceStates } from "../../../contract/workspaces/workspace/workspace.ts";
import type { WorkspaceChange, WorkspacePage, WorkspaceStore } from "../../core/workspaces/store-port.ts";
import type { Workspace } from "../../core/workspaces/workspace.ts";
import { parseConfig } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { type KeptQueryRunner, keepQuery } from "../kept-query.ts";
import { row, type TableOf } from "../row.ts";
import { integer, json, oneOf, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

export const workspaceRow = row<Workspace>("workspaces")({
  id: text,
  accountId: text,
  name: text,
  managerAgentId: text,
  state: oneOf(workspaceStates),
  canonicalCopyId: text,
  currentRevisionId: text,
  metadata: json(parseConfig),
  createdAt: integer,
});

declare module "../tables.ts" {
  interface Database {
    workspaces: TableOf<typeof workspaceRow>;
  }
}

export class SqlWorkspaces implements WorkspaceStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #hasRowLocks: boolean;

  constructor({ db, ask, hasRowLocks }: Connection) {
    this.#db = db;
    this.#ask = ask;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<Workspace | null> {
    const [row] = await this.#ask(workspaceOfId, { id });
    return row === undefined ? null : workspaceRow.read(row);
  }

  async count(accountId: string): Promise<number> {
    const { count } = await this.#db
      .selectFrom("workspaces")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("account_id", "=", accountId)
      .where("state", "!=", "erasing")
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async list({ accountId, before, limit }: WorkspacePage): Promise<readonly Workspace[]> {
    const all = this.#db.selectFrom("workspaces").selectAll().where("account_id", "=", accountId);
    const page = before === null ? all : all.where("id", "<", before);
    return (await page.orderBy("id", "desc").limit(limit).execute()).map(workspaceRow.read);
  }

  async listOfAgent(agentId: string): Promise<readonly Workspace[]> {
    const rows = await this.#db
      .selectFrom("workspaces")
      .innerJoin("workspace_members", "workspace_members.workspace_id", "workspaces.id")
      .selectAll("workspaces")
      .where("workspace_members.agent_id", "=", agentId)
      .orderBy("workspaces.id")
      .execute();
    return rows.map(workspaceRow.read);
  }

  async listManagedBy(agentId: string): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("workspaces")
      .select("id")
      .where("manager_agent_id", "=", agentId)
      .where("state", "!=", "erasing")
      .orderBy("id")
      .execute();
    return rows.map(({ id }) => id);
  }

  async update(id: string, change: WorkspaceChange): Promise<void> {
    await this.#db.updateTable("workspaces").set(workspaceRow.change(change)).where("id", "=", id).execute();
  }

  async hasAny(): Promise<boolean> {
    const row = await this.#db.selectFrom("workspaces").select("id").limit(1).executeTakeFirst();
    return row !== undefined;
  }

  async findUnfinishedRun(workspaceId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("workspace_runs")
      .innerJoin("runs", "runs.id", "workspace_runs.run_id")
      .select("run_id")
      .where("workspace_id", "=", workspaceId)
      .where("runs.ended_at", "is", null)
      .orderBy("run_id")
      .executeTakeFirst();
    return row?.run_id ?? null;
  }

  async insert(workspace: Workspace): Promise<void> {
    await this.#db.insertInto("workspaces").values(workspaceRow.write(workspace)).execute();
  }

  async setState({ id, state }: { id: string; state: WorkspaceState }): Promise<void> {
    await this.#db.updateTable("workspaces").set({ state }).where("id", "=", id).execute();
  }

  async setCurrentRevision({ id, revisionId }: { id: string; revisionId: string }): Promise<void> {
    await this.#db
      .updateTable("workspaces")
      .set({ current_revision_id: revisionId })
      .where("id", "=", id)
      .execute();
  }

  async share(id: string): Promise<Workspace | null> {
    const query = this.#db.selectFrom("workspaces").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forShare() : query).executeTakeFirst();
    return row === undefined ? null : workspaceRow.read(row);
  }

  async lock(id: string): Promise<Workspace | null> {
    const query = this.#db.selectFrom("workspaces").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : workspaceRow.read(row);
  }
}

const workspaceOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("workspaces").selectAll().where("id", "=", id),
);
