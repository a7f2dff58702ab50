// Sums of ended runs in SQL. Reads the runs of one billing account and one span of time by the index `runs_ended`.
// Why: docs/decisions/156-what-a-days-usage-counts.md, docs/decisions/158-a-resolution-rate.md

import { type Kysely, type RawBuilder, sql } from "kysely";
import { isOfReviews, type UsageBy } from "../../contract/money/usage.ts";
import { modelRoles } from "../core/runs/usage.ts";
import type {
  ReviewSums,
  UsageGroup,
  UsageQuery,
  UsageReader,
  UsageSpan,
  UsageSums,
} from "../core/usage/store-port.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./tables.ts";

const DAY_MS = 86_400_000;

type Dialect = {
  /** The tokens of one role; null or text where its model's server said something else. */
  readonly tokensOf: (role: string) => RawBuilder<number>;
  /** The name of the first model that a run asked, as JSON. */
  readonly model: RawBuilder<string>;
};

const sqlite: Dialect = {
  tokensOf: (role) =>
    sql`cast(round(coalesce(json_extract(runs.usage, ${sql.lit(`$.roles.${role}.tokens`)}), 0)) as integer)`,
  model: sql`runs.usage -> '$.models[0].model'`,
};

/** PostgreSQL reads no JSON that has escapes of NUL or of half a surrogate pair, and models may be called anything. */
const postgresUsage = sql`case when strpos(runs.usage, ${sql.lit("\\u")}) = 0 then runs.usage::json
  else regexp_replace(runs.usage, ${sql.lit("\\\\u(0000|d[89a-f][0-9a-f]{2})")}, ${sql.lit("\\\\ufffd")}, 'gi')::json end`;

const postgres: Dialect = {
  tokensOf: (role) => {
    const tokens = sql`((${postgresUsage}) -> 'roles' -> ${sql.lit(role)} -> 'tokens')::text`;
    return sql`case when ${tokens} ~ '^[0-9]{1,15}([.][0-9]+)?$' then round((${tokens})::numeric) else 0 end`;
  },
  model: sql`((${postgresUsage}) -> 'models' -> 0 -> 'model')::text`,
};

/** For tests of a statement's plan, too. */
export function dialectOf({ hasRowLocks }: Pick<Connection, "hasRowLocks">): Dialect {
  return hasRowLocks ? postgres : sqlite;
}

/** What the runs of a group have in common, as text. */
function keyOf(by: UsageBy, dialect: Dialect): RawBuilder<string | null> {
  switch (by) {
    case "day":
      return sql`cast(runs.ended_at / ${sql.lit(DAY_MS)} as text)`;
    case "agent":
      return sql`runs.agent_id`;
    case "repository":
      return sql`runs.repository`;
    case "person":
      return sql`runs.started_by`;
    case "origin":
      return sql`runs.origin`;
    case "model":
      return dialect.model;
  }
}

/** Each sum over the runs of a group. */
function runSumsOf(
  dialect: Dialect,
): Readonly<Record<Exclude<keyof UsageSums, keyof ReviewSums>, RawBuilder<number>>> {
  const count = (condition: RawBuilder<boolean>) => sql<number>`case when ${condition} then 1 else 0 end`;
  const own = (condition: RawBuilder<boolean>) => count(sql`runs.parent_run_id is null and ${condition}`);
  return {
    completed: own(sql`runs.status = 'completed'`),
    failed: own(sql`runs.status = 'failed'`),
    cancelled: own(sql`runs.status = 'cancelled'`),
    delegated: count(sql`runs.parent_run_id is not null`),
    checksPassed: own(sql`runs.checks = 'passed'`),
    checksFailed: own(sql`runs.checks = 'failed'`),
    checksNone: own(sql`runs.checks = 'none'`),
    tokens: sql`case when runs.usage is null then 0 else ${sql.join(modelRoles.map(dialect.tokensOf), sql` + `)} end`,
    grossMicroUsd: sql`runs.gross_micro_usd`,
    refundedMicroUsd: sql`runs.refunded_micro_usd`,
  };
}

/** Each sum over the pull requests of a group. */
const reviewSums: Readonly<Record<keyof ReviewSums, RawBuilder<number>>> = {
  pullRequests: sql`1`,
  reviews: sql`pull_reviews.rounds`,
  findingsOpen: sql.ref("pull_reviews.open"),
  findingsFixed: sql`pull_reviews.fixed`,
  findingsDeclined: sql`pull_reviews.declined`,
  findingsWithdrawn: sql`pull_reviews.withdrawn`,
};

/** What the reviews of a group have in common, as the runs that they are. Null: one review does not tell it of those before it. */
function reviewKeyOf(by: UsageBy): RawBuilder<string | null> | null {
  if (!isOfReviews(by)) return null;
  switch (by) {
    case "day":
      return sql`cast(pull_reviews.ended_at / ${sql.lit(DAY_MS)} as text)`;
    case "agent":
      return sql`pull_reviews.agent_id`;
    case "repository":
      return sql`pull_reviews.repository`;
  }
}

export class SqlUsage implements UsageReader {
  readonly #db: Kysely<Database>;
  readonly #dialect: Dialect;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#dialect = dialectOf({ hasRowLocks });
  }

  async sum(query: UsageQuery): Promise<readonly UsageGroup[]> {
    const { rows } = await sumStatement(query, this.#dialect).execute(this.#db);
    const names = query.by === "agent" ? await this.#agentNames(rows) : new Map<string, string>();
    return rows.map(({ key, place, ...sums }) => {
      if (place > query.maxGroups) return { ...sums, key: null, isOthers: true };
      const name = key === null ? undefined : names.get(key);
      return { ...sums, key: shownKey(query.by, key), ...(name === undefined ? {} : { name }) };
    });
  }

  async sumReviews(span: UsageSpan): Promise<ReviewSums> {
    const { rows } = await reviewsStatement(span).execute(this.#db);
    const [sums] = rows;
    if (sums === undefined) throw new TypeError("A sum has one row.");
    return sums;
  }

  async #agentNames(rows: readonly SumRow[]): Promise<ReadonlyMap<string, string>> {
    const ids = rows.flatMap(({ key }) => (key === null ? [] : [key]));
    if (ids.length === 0) return new Map();
    const found = await this.#db.selectFrom("agents").select(["id", "name"]).where("id", "in", ids).execute();
    return new Map(found.map(({ id, name }) => [id, name]));
  }
}

type SumRow = UsageSums & { readonly key: string | null; readonly place: number };

/** For tests of its plan, too. */
export function sumStatement(query: UsageQuery, dialect: Dialect): RawBuilder<SumRow> {
  const { by, maxGroups } = query;
  const runs = runSumsOf(dialect);
  const names = [...Object.keys(runs), ...Object.keys(reviewSums)];
  const ofRuns = { ...runs, ...zeros(reviewSums) };
  const reviewKey = reviewKeyOf(by);
  const reviews =
    reviewKey === null
      ? sql``
      : sql`union all select ${reviewKey}, ${factsOf({ ...zeros(runs), ...reviewSums }, names)}
      from pull_reviews where ${isWithin(query, "pull_reviews", "billing_account")}`;
  const total = totalsOf(names);
  const beyond = sql.lit(maxGroups + 1);
  return sql<SumRow>`
    with fact as (
      select ${keyOf(by, dialect)} as "key", ${factsOf(ofRuns, names)} from runs
      where runs.ended_at is not null and ${isWithin(query, "runs", "payer")} ${reviews}
    ), summed as (
      select "key", ${total} from fact group by "key"
    ), ranked as (
      select summed.*, row_number() over (
        order by "grossMicroUsd" - "refundedMicroUsd" desc, "completed" + "failed" + "cancelled" desc, "key"
      ) as rank from summed
    ), placed as (
      select ranked.*, case when rank < ${beyond} then rank else ${beyond} end as place from ranked
    )
    select case when place < ${beyond} then "key" end as "key", cast(place as bigint) as place, ${total}
    from placed group by place, case when place < ${beyond} then "key" end order by place`;
}

/** For tests of its plan, too. */
export function reviewsStatement(span: UsageSpan): RawBuilder<ReviewSums> {
  const names = Object.keys(reviewSums);
  return sql<ReviewSums>`
    with fact as (
      select ${factsOf(reviewSums, names)} from pull_reviews where ${isWithin(span, "pull_reviews", "billing_account")}
    )
    select ${totalsOf(names)} from fact`;
}

function isWithin(
  { billingAccount, agentId, since, until }: UsageSpan,
  table: "runs" | "pull_reviews",
  account: string,
): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const ofAgent = agentId === null ? sql`true` : sql`${column("agent_id")} = ${agentId}`;
  return sql`${column(account)} = ${billingAccount}
    and ${column("ended_at")} >= ${since} and ${column("ended_at")} < ${until} and ${ofAgent}`;
}

type Facts = Readonly<Record<string, RawBuilder<number>>>;

function zeros(sums: Facts): Facts {
  return Object.fromEntries(Object.keys(sums).map((name) => [name, sql`0`]));
}

/** In the order of `names`, as both parts of a union have it. */
function factsOf(facts: Facts, names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql`${facts[name] ?? sql`0`} as ${sql.ref(name)}`));
}

function totalsOf(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    names.map((name) => sql`cast(coalesce(sum(${sql.ref(name)}), 0) as bigint) as ${sql.ref(name)}`),
  );
}

function shownKey(by: UsageBy, key: string | null): string | null {
  if (key === null) return null;
  if (by === "day") return new Date(Number(key) * DAY_MS).toISOString().slice(0, 10);
  // Calls beyond a bound of models have no name.
  if (by === "model") return (JSON.parse(key) as string) || null;
  return key;
}
