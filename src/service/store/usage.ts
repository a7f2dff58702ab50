// Sums of ended runs in SQL. Reads the runs of one billing account and one span of time by the index `runs_ended`.
// Why: docs/decisions/156-what-a-days-usage-counts.md

import { type Kysely, type RawBuilder, sql } from "kysely";
import type { UsageBy } from "../../contract/money/usage.ts";
import { modelRoles } from "../core/runs/usage.ts";
import type { UsageGroup, UsageQuery, UsageReader, UsageSums } from "../core/usage/store-port.ts";
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

/** Each sum, over the runs of a group. */
function sumsOf(dialect: Dialect): Readonly<Record<keyof UsageSums, RawBuilder<number>>> {
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

  async #agentNames(rows: readonly SumRow[]): Promise<ReadonlyMap<string, string>> {
    const ids = rows.flatMap(({ key }) => (key === null ? [] : [key]));
    if (ids.length === 0) return new Map();
    const found = await this.#db.selectFrom("agents").select(["id", "name"]).where("id", "in", ids).execute();
    return new Map(found.map(({ id, name }) => [id, name]));
  }
}

type SumRow = UsageSums & { readonly key: string | null; readonly place: number };

/** For tests of its plan, too. */
export function sumStatement(
  { billingAccount, agentId, since, until, by, maxGroups }: UsageQuery,
  dialect: Dialect,
): RawBuilder<SumRow> {
  const sums = Object.entries(sumsOf(dialect));
  const facts = sql.join(sums.map(([name, value]) => sql`${value} as ${sql.ref(name)}`));
  const total = sql.join(
    sums.map(([name]) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`),
  );
  const ofAgent = agentId === null ? sql`true` : sql`runs.agent_id = ${agentId}`;
  const beyond = sql.lit(maxGroups + 1);
  return sql<SumRow>`
    with fact as (
      select ${keyOf(by, dialect)} as "key", ${facts} from runs
      where runs.payer = ${billingAccount} and runs.ended_at is not null
        and runs.ended_at >= ${since} and runs.ended_at < ${until} and ${ofAgent}
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

function shownKey(by: UsageBy, key: string | null): string | null {
  if (key === null) return null;
  if (by === "day") return new Date(Number(key) * DAY_MS).toISOString().slice(0, 10);
  // Calls beyond a bound of models have no name.
  if (by === "model") return (JSON.parse(key) as string) || null;
  return key;
}
