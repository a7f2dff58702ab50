// Schedules, as the core reads and moves them. Implemented in store/schedules.ts.

import type { WorkspaceThingsPage } from "../ports/workspace-page.ts";
import type { ScheduleMove, ScheduleRecord } from "./schedule-machine.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly workspaceSchedules: WorkspaceScheduleReader;
    readonly schedules: ScheduleReader;
  }
  interface StoreTransaction {
    readonly workspaceSchedules: WorkspaceScheduleStore;
    readonly schedules: ScheduleStore;
  }
}

interface ScheduleReader {
  find(id: string): Promise<ScheduleRecord | null>;
  /** An agent's schedules, newest first. */
  list(agentId: string): Promise<readonly ScheduleRecord[]>;
  /** The ids of schedules that are pending or firing and due by `now`, the longest due first. */
  listDue(query: { now: number; limit: number }): Promise<readonly string[]>;
  /** The earliest due time of a schedule that is pending or firing. */
  findNextDueAt(): Promise<number | null>;
}

export interface ScheduleStore extends ScheduleReader {
  insert(schedule: ScheduleRecord): Promise<void>;
  /** Reads a schedule. No other transaction changes it until this one ends. */
  lock(id: string): Promise<ScheduleRecord | null>;
  /** Null, and nothing changed, when the schedule is no longer in the state that the move starts from. Safe to race. */
  move(move: ScheduleMove): Promise<ScheduleRecord | null>;
  /** `dispatched → done` for the schedule that became this run, which has ended. */
  finish(runId: string): Promise<void>;
  /** Makes schedules that are firing due at once. Returns how many. */
  retakeFiring(now: number): Promise<number>;
}

interface WorkspaceScheduleReader {
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
