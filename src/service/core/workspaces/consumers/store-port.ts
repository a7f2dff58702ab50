// What reads the accepted files of workspaces: schedules, workflows and sites. Implemented in store/workspaces/consumers.ts.

import type { WorkspaceThingsPage } from "../../ports/workspace-page.ts";
import type { ScheduleRecord } from "../../schedules/schedule-machine.ts";
import type { WorkflowRecord } from "../../workflows/workflow.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly sites: SiteReader;
    readonly workspaceWorkflows: WorkspaceWorkflowReader;
    readonly workspaceSchedules: WorkspaceScheduleReader;
  }
  interface StoreTransaction {
    readonly sites: SiteStore;
    readonly workspaceWorkflows: WorkspaceWorkflowStore;
    readonly workspaceSchedules: WorkspaceScheduleStore;
  }
}

export interface WorkspaceScheduleReader {
  /** The id of the workspace that a schedule is one of; null where it is an agent's alone. */
  findWorkspace(scheduleId: string): Promise<string | null>;
  /** Newest first. */
  list(page: WorkspaceThingsPage): Promise<readonly ScheduleRecord[]>;
  /** The ids of those that wait for their time or their confirmation; of one agent where it is named. */
  listOpen(query: { workspaceId: string; agentId: string | null }): Promise<readonly string[]>;
}

export interface WorkspaceScheduleStore extends WorkspaceScheduleReader {
  insert(row: { workspaceId: string; scheduleId: string }): Promise<void>;
}

export interface WorkspaceWorkflowReader {
  /** The id of the workspace that a workflow is one of; null where it is an agent's alone. */
  findWorkspace(workflowId: string): Promise<string | null>;
  /** Newest first by their ids. */
  list(page: WorkspaceThingsPage): Promise<readonly WorkflowRecord[]>;
}

export interface WorkspaceWorkflowStore extends WorkspaceWorkflowReader {
  insert(row: { workspaceId: string; workflowId: string }): Promise<void>;
  delete(workflowId: string): Promise<void>;
}

/** The folder of a revision that a workspace shows. */
export type Site = {
  readonly workspaceId: string;
  readonly revisionId: string;
  /** "" for all files. */
  readonly folder: string;
  readonly publishedAt: number;
};

/** Shows a site to whoever has it. */
export type SiteLink = { readonly hash: string; readonly workspaceId: string; readonly expiresAt: number };

export interface SiteReader {
  find(workspaceId: string): Promise<Site | null>;
  /** Null for one that has ended. */
  findLink(link: { hash: string; now: number }): Promise<SiteLink | null>;
}

export interface SiteStore extends SiteReader {
  /** In the place of the one before. */
  put(site: Site): Promise<void>;
  /** With its links. The site as it was; null where there is none, also for all but one of those that delete it at once. */
  delete(workspaceId: string): Promise<Site | null>;
  /** Forgets some that have ended. */
  insertLink(link: SiteLink & { now: number }): Promise<void>;
}
