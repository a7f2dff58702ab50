// Schedules in SQL. Every move names the state that it starts from, so that only one of two nodes makes it.

import { type Kysely, sql } from "kysely";
import { scheduleStatuses } from "../../contract/schedules/schedule.ts";
import type { ScheduleMove, ScheduleRecord } from "../core/schedules/schedule-machine.ts";
import type { ScheduleStore } from "../core/schedules/store-port.ts";
import { parseConfig } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, json, named, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const scheduleRow = row<ScheduleRecord>("schedules")({
  id: text,
  agentId: text,
  status: oneOf(scheduleStatuses),
  prompt: text,
  fireAt: integer,
  pinnedSessionId: nullable(text),
  sessionId: named("thread_id", nullable(text)),
  metadata: json(parseConfig),
  lastError: nullable(text),
  attempts: integer,
  /** Read only while the schedule is pending or firing. */
  dueAt: integer,
  runId: nullable(text),
  createdAt: integer,
  lastFiredAt: nullable(integer),
  confirmedAt: nullable(integer),
  madeBy: nullable(text),
});

declare module "./tables.ts" {
  interface Database {
    schedules: TableOf<typeof scheduleRow>;
  }
}

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
    return row === undefined ? null : scheduleRow.read(row);
  }

  async list(agentId: string): Promise<readonly ScheduleRecord[]> {
    const rows = await this.#db
      .selectFrom("schedules")
      .selectAll()
      .where("agent_id", "=", agentId)
      .orderBy("id", "desc")
      .execute();
    return rows.map(scheduleRow.read);
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
    await this.#db.insertInto("schedules").values(scheduleRow.write(schedule)).execute();
  }

  async lock(id: string): Promise<ScheduleRecord | null> {
    const query = this.#db.selectFrom("schedules").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : scheduleRow.read(row);
  }

  async move({ id, from, change }: ScheduleMove): Promise<ScheduleRecord | null> {
    const row = await this.#db
      .updateTable("schedules")
      .set(scheduleRow.change(change))
      .where("id", "=", id)
      .where("status", "=", from.status)
      .where("attempts", "=", from.attempts)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : scheduleRow.read(row);
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
