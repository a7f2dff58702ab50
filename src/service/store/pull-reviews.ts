// Reviews of pull requests in SQL: one row for each billing account, agent and pull request.
// Why: docs/decisions/158-a-resolution-rate.md

import { type Kysely, sql } from "kysely";
import type { PullReview, PullReviewStore } from "../core/runs/pull-review.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, optional, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const pullReviewRow = row<PullReview>("pull_reviews")({
  billingAccount: text,
  agentId: text,
  pullRequest: integer,
  repository: optional(text),
  runId: text,
  endedAt: integer,
  firstEndedAt: integer,
  rounds: integer,
  open: integer,
  fixed: integer,
  declined: integer,
  withdrawn: integer,
});

declare module "./tables.ts" {
  interface Database {
    pull_reviews: TableOf<typeof pullReviewRow>;
  }
}

const keys = ["billing_account", "agent_id", "pull_request"] as const;
/** Not simply those of the newest run. */
const gathered: readonly string[] = [...keys, "first_ended_at", "rounds"];

/** A column's value of the newest run: the row's own, or that of the row that was to be inserted. */
const ofNewest = (name: string) =>
  sql<never>`case when excluded.run_id >= pull_reviews.run_id then ${sql.ref(`excluded.${name}`)} else ${sql.ref(`pull_reviews.${name}`)} end`;

export class SqlPullReviews implements PullReviewStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async put(review: PullReview, { isFirst }: { isFirst: boolean }): Promise<void> {
    const newest = pullReviewRow.columns.filter((name) => !gathered.includes(name));
    await this.#db
      .insertInto("pull_reviews")
      .values(pullReviewRow.write(review))
      .onConflict((conflict) =>
        conflict.columns(keys).doUpdateSet({
          ...Object.fromEntries(newest.map((name) => [name, ofNewest(name)])),
          first_ended_at: sql`case when excluded.first_ended_at < pull_reviews.first_ended_at
            then excluded.first_ended_at else pull_reviews.first_ended_at end`,
          rounds: sql`pull_reviews.rounds + case when excluded.run_id = pull_reviews.run_id then 0 else ${sql.lit(isFirst ? 1 : 0)} end`,
        }),
      )
      .execute();
  }
}
