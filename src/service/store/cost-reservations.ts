// What runs of agents with a cap a day may cost, in SQL.

import type { Kysely } from "kysely";
import { runStatuses } from "../../contract/runs/run.ts";
import type {
  CostReservation,
  CostReservationStore,
  ReservedRun,
} from "../core/ports/store/cost-reservations.ts";
import { oneOf, parseUsage } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./tables.ts";

export class SqlCostReservations implements CostReservationStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async insert({ runId, agentId, day, microUsd, expiresAt }: CostReservation): Promise<void> {
    const row = { run_id: runId, agent_id: agentId, day, micro_usd: microUsd, expires_at: expiresAt };
    await this.#db.insertInto("cost_reservations").values(row).execute();
  }

  async list({ agentId, day }: { agentId: string; day: string }): Promise<readonly ReservedRun[]> {
    const rows = await this.#db
      .selectFrom("cost_reservations")
      .innerJoin("runs", "runs.id", "cost_reservations.run_id")
      .select(["runs.status", "runs.started_at", "runs.usage", "cost_reservations.micro_usd"])
      .where("cost_reservations.agent_id", "=", agentId)
      .where("cost_reservations.day", "=", day)
      .execute();
    return rows.map((row) => ({
      status: oneOf(runStatuses, row.status, "runs.status"),
      startedAt: row.started_at,
      usage: row.usage === null ? null : parseUsage(row.usage),
      reservedMicroUsd: row.micro_usd,
    }));
  }
}
