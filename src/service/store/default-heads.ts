// The newest known commits of default branches in SQL.

import type { Kysely } from "kysely";
import type { JobIdentity } from "../core/ci-jobs/job-identity.ts";
import type { DefaultHeadStore } from "../core/commits/store-port.ts";
import { parseJob } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, json, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

/** The newest commit of a repository's default branch that a job has made known. */
type DefaultHead = { readonly agentId: string; readonly job: JobIdentity; readonly knownAt: number };

export const headRow = row<DefaultHead>("default_heads")({
  agentId: text,
  job: json(parseJob),
  knownAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    default_heads: TableOf<typeof headRow>;
  }
}

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
    return row === undefined ? null : headRow.readField("job", row.job);
  }

  async put({ agentId, job, now }: { agentId: string; job: JobIdentity; now: number }): Promise<void> {
    await this.#db
      .insertInto("default_heads")
      .values(headRow.write({ agentId, job, knownAt: now }))
      .onConflict((conflict) => conflict.column("agent_id").doUpdateSet(headRow.replacing("agent_id")))
      .execute();
  }

  async delete(agentId: string): Promise<void> {
    await this.#db.deleteFrom("default_heads").where("agent_id", "=", agentId).execute();
  }
}
