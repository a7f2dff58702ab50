// Workspaces in SQL.

import type { Kysely, Selectable } from "kysely";
import { type WorkspaceState, workspaceStates } from "../../../contract/workspaces/workspace/workspace.ts";
import type {
  WorkspaceChange,
  WorkspacePage,
  WorkspaceStore,
} from "../../core/ports/store/workspaces/workspaces.ts";
import type { Workspace } from "../../core/workspaces/workspace.ts";
import { oneOf, parseConfig } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { type Ask, keepQuery } from "../kept-query.ts";
import type { Database } from "../tables.ts";
import type { WorkspacesTable } from "../workspace-tables.ts";

export class SqlWorkspaces implements WorkspaceStore {
  readonly #db: Kysely<Database>;
  readonly #ask: Ask;
  readonly #hasRowLocks: boolean;

  constructor({ db, ask, hasRowLocks }: Connection) {
    this.#db = db;
    this.#ask = ask;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<Workspace | null> {
    const [row] = await this.#ask(workspaceOfId, { id });
    return row === undefined ? null : toWorkspace(row);
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
    return (await page.orderBy("id", "desc").limit(limit).execute()).map(toWorkspace);
  }

  async listOfAgent(agentId: string): Promise<readonly Workspace[]> {
    const rows = await this.#db
      .selectFrom("workspaces")
      .innerJoin("workspace_members", "workspace_members.workspace_id", "workspaces.id")
      .selectAll("workspaces")
      .where("workspace_members.agent_id", "=", agentId)
      .orderBy("workspaces.id")
      .execute();
    return rows.map(toWorkspace);
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

  async update(id: string, { name, managerAgentId, metadata }: WorkspaceChange): Promise<void> {
    await this.#db
      .updateTable("workspaces")
      .set({
        ...(name === undefined ? {} : { name }),
        ...(managerAgentId === undefined ? {} : { manager_agent_id: managerAgentId }),
        ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      })
      .where("id", "=", id)
      .execute();
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
    await this.#db.insertInto("workspaces").values(toRow(workspace)).execute();
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
    return row === undefined ? null : toWorkspace(row);
  }

  async lock(id: string): Promise<Workspace | null> {
    const query = this.#db.selectFrom("workspaces").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : toWorkspace(row);
  }
}

const workspaceOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("workspaces").selectAll().where("id", "=", id),
);

function toWorkspace(row: Selectable<WorkspacesTable>): Workspace {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    managerAgentId: row.manager_agent_id,
    state: oneOf(workspaceStates, row.state, "workspaces.state"),
    canonicalCopyId: row.canonical_copy_id,
    currentRevisionId: row.current_revision_id,
    metadata: parseConfig(row.metadata),
    createdAt: row.created_at,
  };
}

function toRow(workspace: Workspace) {
  return {
    id: workspace.id,
    account_id: workspace.accountId,
    name: workspace.name,
    manager_agent_id: workspace.managerAgentId,
    state: workspace.state,
    canonical_copy_id: workspace.canonicalCopyId,
    current_revision_id: workspace.currentRevisionId,
    metadata: JSON.stringify(workspace.metadata),
    created_at: workspace.createdAt,
  };
}
