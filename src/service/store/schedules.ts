// Schedules in SQL. Every move names the state that it starts from, so that only one of two nodes makes it.

import { type Kysely, type Selectable, sql } from "kysely";
import { scheduleStatuses } from "../../contract/schedules/schedule.ts";
import type { ScheduleStore } from "../core/ports/store/schedules.ts";
import type { ScheduleChange, ScheduleMove, ScheduleRecord } from "../core/schedules/schedule-machine.ts";
import { oneOf, parseConfig } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database, SchedulesTable } from "./tables.ts";

/** The condition of the index `schedules_due`. A query uses the index only where it repeats the condition. */
const isOpen = sql<boolean>`status in ('pending', 'firing')`;

export class SqlSchedules implements ScheduleStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<ScheduleRecord | null> {
    const row = await this.#db.selectFrom("schedules").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toSchedule(row);
  }

  async list(agentId: string): Promise<readonly ScheduleRecord[]> {
    const rows = await this.#db
      .selectFrom("schedules")
      .selectAll()
      .where("agent_id", "=", agentId)
      .orderBy("id", "desc")
      .execute();
    return rows.map(toSchedule);
  }

  async listDue({ now, limit }: { now: number; limit: number }): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("schedules")
      .select("id")
      .where(isOpen)
      .where("due_at", "<=", now)
      .orderBy("due_at")
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  async findNextDueAt(): Promise<number | null> {
    const row = await this.#db
      .selectFrom("schedules")
      .select("due_at")
      .where(isOpen)
      .orderBy("due_at")
      .limit(1)
      .executeTakeFirst();
    return row?.due_at ?? null;
  }

  async insert(schedule: ScheduleRecord): Promise<void> {
    await this.#db.insertInto("schedules").values(toRow(schedule)).execute();
  }

  async lock(id: string): Promise<ScheduleRecord | null> {
    const query = this.#db.selectFrom("schedules").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : toSchedule(row);
  }

  async move({ id, from, change }: ScheduleMove): Promise<ScheduleRecord | null> {
    const row = await this.#db
      .updateTable("schedules")
      .set(toColumns(change))
      .where("id", "=", id)
      .where("status", "=", from.status)
      .where("attempts", "=", from.attempts)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toSchedule(row);
  }

  async finish(runId: string): Promise<void> {
    await this.#db
      .updateTable("schedules")
      .set({ status: "done" })
      .where("run_id", "=", runId)
      .where("status", "=", "dispatched")
      .execute();
  }

  async retakeFiring(now: number): Promise<number> {
    const { numUpdatedRows } = await this.#db
      .updateTable("schedules")
      .set({ due_at: now })
      .where("status", "=", "firing")
      .where(isOpen)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }
}

export function toSchedule(row: Selectable<SchedulesTable>): ScheduleRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    status: oneOf(scheduleStatuses, row.status, "schedules.status"),
    prompt: row.prompt,
    fireAt: row.fire_at,
    pinnedSessionId: row.pinned_session_id,
    sessionId: row.thread_id,
    metadata: parseConfig(row.metadata),
    lastError: row.last_error,
    attempts: row.attempts,
    dueAt: row.due_at,
    runId: row.run_id,
    createdAt: row.created_at,
    lastFiredAt: row.last_fired_at,
    confirmedAt: row.confirmed_at,
  };
}

function toRow(schedule: ScheduleRecord): SchedulesTable {
  return {
    id: schedule.id,
    agent_id: schedule.agentId,
    status: schedule.status,
    prompt: schedule.prompt,
    fire_at: schedule.fireAt,
    pinned_session_id: schedule.pinnedSessionId,
    thread_id: schedule.sessionId,
    metadata: JSON.stringify(schedule.metadata),
    last_error: schedule.lastError,
    attempts: schedule.attempts,
    due_at: schedule.dueAt,
    run_id: schedule.runId,
    created_at: schedule.createdAt,
    last_fired_at: schedule.lastFiredAt,
    confirmed_at: schedule.confirmedAt,
  };
}

function toColumns(change: ScheduleChange): Partial<SchedulesTable> {
  return {
    ...(change.status === undefined ? {} : { status: change.status }),
    ...(change.sessionId === undefined ? {} : { thread_id: change.sessionId }),
    ...(change.lastError === undefined ? {} : { last_error: change.lastError }),
    ...(change.attempts === undefined ? {} : { attempts: change.attempts }),
    ...(change.dueAt === undefined ? {} : { due_at: change.dueAt }),
    ...(change.runId === undefined ? {} : { run_id: change.runId }),
    ...(change.lastFiredAt === undefined ? {} : { last_fired_at: change.lastFiredAt }),
    ...(change.confirmedAt === undefined ? {} : { confirmed_at: change.confirmedAt }),
  };
}
