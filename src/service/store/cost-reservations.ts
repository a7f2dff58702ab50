// Reservations of the cost of runs under a cap a day, in SQL.

import type { Kysely } from "kysely";
import type { CostReservation, CostReservationStore, ReservedRun } from "../core/runs/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, optional, text } from "./row-columns.ts";
import { runRow } from "./run-rows.ts";
import type { Database } from "./tables.ts";

export const reservationRow = row<CostReservation>("cost_reservations")({
  runId: text,
  agentId: text,
  accountId: optional(text),
  personId: optional(text),
  day: text,
  microUsd: integer,
  beforeMicroUsd: integer,
  expiresAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    cost_reservations: TableOf<typeof reservationRow>;
  }
}

export class SqlCostReservations implements CostReservationStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async put(reservation: CostReservation): Promise<void> {
    await this.#db
      .insertInto("cost_reservations")
      .values(reservationRow.write(reservation))
      .onConflict((conflict) => conflict.column("run_id").doUpdateSet(reservationRow.replacing("run_id")))
      .execute();
  }

  async list({
    agentId,
    accountId,
    personId,
    day,
  }: Parameters<CostReservationStore["list"]>[0]): Promise<readonly ReservedRun[]> {
    const ofDay = this.#db
      .selectFrom("cost_reservations")
      .innerJoin("runs", "runs.id", "cost_reservations.run_id")
      .select(["runs.id", "runs.status", "runs.started_at", "runs.usage", "runs.parked"])
      .select(["cost_reservations.micro_usd", "cost_reservations.before_micro_usd"])
      .where("cost_reservations.day", "=", day);
    const rows = await (accountId === undefined || personId === undefined
      ? ofDay
          .where("cost_reservations.agent_id", "=", agentId)
          .where("cost_reservations.person_id", "is", null)
      : ofDay
          .where("cost_reservations.person_id", "=", personId)
          .where("cost_reservations.account_id", "=", accountId)
    ).execute();
    return rows.map((row) => ({
      runId: row.id,
      status: runRow.readField("status", row.status),
      startedAt: row.started_at,
      usage: runRow.readField("parked", row.parked)?.usage ?? runRow.readField("usage", row.usage),
      isParked: row.parked !== null,
      reservedMicroUsd: row.micro_usd,
      beforeMicroUsd: row.before_micro_usd,
    }));
  }
}
