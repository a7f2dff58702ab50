// Consumers of workspaces' accepted files, in SQL: schedules, workflows and sites.

import type { Kysely } from "kysely";
import type { WorkspaceThingsPage } from "../../core/ports/workspace-page.ts";
import type { ScheduleRecord } from "../../core/schedules/schedule-machine.ts";
import type { WorkspaceScheduleStore } from "../../core/schedules/store-port.ts";
import type { WorkspaceWorkflowStore } from "../../core/workflows/store-port.ts";
import type { WorkflowRecord } from "../../core/workflows/workflow.ts";
import type { Site, SiteLink, SiteStore } from "../../core/workspaces/consumers/store-port.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, text } from "../row-columns.ts";
import { scheduleRow } from "../schedules.ts";
import type { Database } from "../tables.ts";
import { workflowRow } from "../workflows.ts";

export const siteRow = row<Site>("sites")({
  workspaceId: text,
  revisionId: text,
  folder: text,
  publishedAt: integer,
});

/** Links by which a workspace's site is looked at. */
export const siteLinkRow = row<SiteLink>("site_links")({ hash: text, workspaceId: text, expiresAt: integer });

type Pair<Field extends string> = Readonly<Record<"workspaceId" | Field, string>>;

export const workspaceScheduleRow = row<Pair<"scheduleId">>("workspace_schedules")({
  scheduleId: text,
  workspaceId: text,
});

export const workspaceWorkflowRow = row<Pair<"workflowId">>("workspace_workflows")({
  workflowId: text,
  workspaceId: text,
});

declare module "../tables.ts" {
  interface Database {
    sites: TableOf<typeof siteRow>;
    site_links: TableOf<typeof siteLinkRow>;
    workspace_schedules: TableOf<typeof workspaceScheduleRow>;
    workspace_workflows: TableOf<typeof workspaceWorkflowRow>;
  }
}

export class SqlWorkspaceSchedules implements WorkspaceScheduleStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async findWorkspace(scheduleId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("workspace_schedules")
      .select("workspace_id")
      .where("schedule_id", "=", scheduleId)
      .executeTakeFirst();
    return row?.workspace_id ?? null;
  }

  async list({ workspaceId, before, limit }: WorkspaceThingsPage): Promise<readonly ScheduleRecord[]> {
    const all = this.#of(workspaceId).selectAll("schedules");
    const page = before === null ? all : all.where("schedules.id", "<", before);
    return (await page.orderBy("schedules.id", "desc").limit(limit).execute()).map(scheduleRow.read);
  }

  async listOpen(query: { workspaceId: string; agentId: string | null }): Promise<readonly string[]> {
    const { workspaceId, agentId } = query;
    const all = this.#of(workspaceId)
      .select("schedules.id")
      .where("schedules.status", "in", ["awaiting_confirmation", "pending", "firing"]);
    const open = agentId === null ? all : all.where("schedules.agent_id", "=", agentId);
    return (await open.orderBy("schedules.id").execute()).map(({ id }) => id);
  }

  async insert(pair: { workspaceId: string; scheduleId: string }): Promise<void> {
    await this.#db.insertInto("workspace_schedules").values(workspaceScheduleRow.write(pair)).execute();
  }

  #of(workspaceId: string) {
    return this.#db
      .selectFrom("workspace_schedules")
      .innerJoin("schedules", "schedules.id", "workspace_schedules.schedule_id")
      .where("workspace_schedules.workspace_id", "=", workspaceId);
  }
}

export class SqlWorkspaceWorkflows implements WorkspaceWorkflowStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async findWorkspace(workflowId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("workspace_workflows")
      .select("workspace_id")
      .where("workflow_id", "=", workflowId)
      .executeTakeFirst();
    return row?.workspace_id ?? null;
  }

  async list({ workspaceId, before, limit }: WorkspaceThingsPage): Promise<readonly WorkflowRecord[]> {
    const all = this.#db
      .selectFrom("workspace_workflows")
      .innerJoin("workflows", "workflows.id", "workspace_workflows.workflow_id")
      .selectAll("workflows")
      .where("workspace_workflows.workspace_id", "=", workspaceId);
    const page = before === null ? all : all.where("workflows.id", "<", before);
    return (await page.orderBy("workflows.id", "desc").limit(limit).execute()).map(workflowRow.read);
  }

  async insert(pair: { workspaceId: string; workflowId: string }): Promise<void> {
    await this.#db.insertInto("workspace_workflows").values(workspaceWorkflowRow.write(pair)).execute();
  }

  async delete(workflowId: string): Promise<void> {
    await this.#db.deleteFrom("workspace_workflows").where("workflow_id", "=", workflowId).execute();
  }
}

export class SqlSites implements SiteStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(workspaceId: string): Promise<Site | null> {
    const row = await this.#db
      .selectFrom("sites")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .executeTakeFirst();
    return row === undefined ? null : siteRow.read(row);
  }

  async put(site: Site): Promise<void> {
    await this.#db
      .insertInto("sites")
      .values(siteRow.write(site))
      .onConflict((conflict) =>
        conflict.column("workspace_id").doUpdateSet(siteRow.replacing("workspace_id")),
      )
      .execute();
  }

  async findLink({ hash, now }: { hash: string; now: number }): Promise<SiteLink | null> {
    const row = await this.#db
      .selectFrom("site_links")
      .selectAll()
      .where("hash", "=", hash)
      .where("expires_at", ">", now)
      .executeTakeFirst();
    return row === undefined ? null : siteLinkRow.read(row);
  }

  async insertLink({ now, ...link }: SiteLink & { now: number }): Promise<void> {
    await this.#db.deleteFrom("site_links").where("expires_at", "<=", now).execute();
    await this.#db.insertInto("site_links").values(siteLinkRow.write(link)).execute();
  }

  async delete(workspaceId: string): Promise<Site | null> {
    await this.#db.deleteFrom("site_links").where("workspace_id", "=", workspaceId).execute();
    const row = await this.#db
      .deleteFrom("sites")
      .where("workspace_id", "=", workspaceId)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : siteRow.read(row);
  }
}
