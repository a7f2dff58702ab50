// Schedules with sensible contents, and what a test asks of those in a store.

import type { ScheduleRecord } from "../../src/service/core/schedules/schedule-machine.ts";
import type { CoreFixture } from "./fixtures/core-fixture.ts";

export function makeSchedule(overrides: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return {
    id: "schedule-1",
    agentId: "agent-1",
    status: "pending",
    prompt: "Look around.",
    fireAt: 1_000,
    pinnedSessionId: null,
    sessionId: null,
    metadata: {},
    lastError: null,
    attempts: 0,
    dueAt: overrides.fireAt ?? 1_000,
    runId: null,
    createdAt: 500,
    lastFiredAt: null,
    confirmedAt: null,
    madeBy: null,
    ...overrides,
  };
}

/** Puts a schedule of this agent, due at once unless told, into the fixture's store. Returns its id. */
export async function plant(
  fixture: CoreFixture,
  schedule: Partial<ScheduleRecord> & { agentId: string },
): Promise<string> {
  const now = fixture.clock.now();
  const id = fixture.core.random.uuid(now);
  await fixture.store.transact((tx) =>
    tx.schedules.insert(makeSchedule({ id, fireAt: now, dueAt: schedule.fireAt ?? now, ...schedule })),
  );
  return id;
}

export async function readSchedule(fixture: CoreFixture, id: string): Promise<ScheduleRecord> {
  const schedule = await fixture.store.committed.schedules.find(id);
  if (schedule === null) throw new Error(`There is no schedule ${id}.`);
  return schedule;
}

/** The ids of all runs that schedules became. */
export async function scheduledRuns(fixture: CoreFixture): Promise<string[]> {
  const rows = await fixture.place.query("select id from runs where origin = 'schedule' order by id");
  return rows.map(({ id }) => String(id));
}
