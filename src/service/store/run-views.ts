// Links to runs in SQL.

import type { Kysely } from "kysely";
import type { RunViewStore } from "../core/run-views/store-port.ts";
import type { RunView } from "../core/runs/run-view.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const runViewRow = row<RunView>("run_views")({
  hash: text,
  runId: text,
  agentId: text,
  createdAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    run_views: TableOf<typeof runViewRow>;
  }
}

export class SqlRunViews implements RunViewStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(hash: string): Promise<RunView | null> {
    const row = await this.#db
      .selectFrom("run_views")
      .selectAll()
      .where("hash", "=", hash)
      .executeTakeFirst();
    return row === undefined ? null : runViewRow.read(row);
  }

  async insert(view: RunView, { keep }: { keep: number }): Promise<void> {
    const kept = await this.#db
      .selectFrom("run_views")
      .select("hash")
      .where("run_id", "=", view.runId)
      .orderBy("created_at", "desc")
      .orderBy("hash")
      .limit(keep - 1)
      .execute();
    const hashes = kept.map((row) => row.hash);
    const others = this.#db.deleteFrom("run_views").where("run_id", "=", view.runId);
    await (hashes.length === 0 ? others : others.where("hash", "not in", hashes)).execute();
    await this.#db.insertInto("run_views").values(runViewRow.write(view)).execute();
  }

  async deleteOfAgent(agentId: string): Promise<void> {
    await this.#db.deleteFrom("run_views").where("agent_id", "=", agentId).execute();
  }
}
