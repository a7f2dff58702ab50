// Schedules with sensible contents, and what a test asks of those in a store.

import type { ScheduleRecord } from "../../src/service/core/schedule-machine.ts";
import type { CoreBed } from "./service-core.ts";

export function makeSchedule(overrides: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return {
    id: "schedule-1",
    agentId: "agent-1",
    status: "pending",
    prompt: "Look around.",
    fireAt: 1_000,
    pinnedSessionId: null,
    threadId: null,
    metadata: {},
    lastError: null,
    attempts: 0,
    dueAt: overrides.fireAt ?? 1_000,
    runId: null,
    createdAt: 500,
    lastFiredAt: null,
    confirmedAt: null,
    ...overrides,
  };
}

/** Puts a schedule of this agent, due at once unless told, into the bed's store. Returns its id. */
export async function plant(
  bed: CoreBed,
  schedule: Partial<ScheduleRecord> & { agentId: string },
): Promise<string> {
  const now = bed.clock.now();
  const id = bed.core.random.uuid(now);
  await bed.store.transact((tx) =>
    tx.insertSchedule(makeSchedule({ id, fireAt: now, dueAt: schedule.fireAt ?? now, ...schedule })),
  );
  return id;
}

export async function readSchedule(bed: CoreBed, id: string): Promise<ScheduleRecord> {
  const schedule = await bed.store.committed.findSchedule(id);
  if (schedule === null) throw new Error(`There is no schedule ${id}.`);
  return schedule;
}

/** The ids of all runs that schedules became. */
export async function scheduledRuns(bed: CoreBed): Promise<string[]> {
  const rows = await bed.place.query("select id from runs where origin = 'schedule' order by id");
  return rows.map(({ id }) => String(id));
}
