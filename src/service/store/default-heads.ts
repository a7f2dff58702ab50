// The newest known commits of default branches in SQL.

import type { Kysely } from "kysely";
import type { JobIdentity } from "../core/ci/job-identity.ts";
import type { DefaultHeadStore } from "../core/ports/store/default-heads.ts";
import { parseJob } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./tables.ts";

export class SqlDefaultHeads implements DefaultHeadStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(agentId: string): Promise<JobIdentity | null> {
    const row = await this.#db
      .selectFrom("default_heads")
      .select("job")
      .where("agent_id", "=", agentId)
      .executeTakeFirst();
    return row === undefined ? null : parseJob(row.job);
  }

  async put({ agentId, job, now }: { agentId: string; job: JobIdentity; now: number }): Promise<void> {
    const head = { job: JSON.stringify(job), known_at: now };
    await this.#db
      .insertInto("default_heads")
      .values({ agent_id: agentId, ...head })
      .onConflict((conflict) => conflict.column("agent_id").doUpdateSet(head))
      .execute();
  }

  async delete(agentId: string): Promise<void> {
    await this.#db.deleteFrom("default_heads").where("agent_id", "=", agentId).execute();
  }
}
