// Forward only. What reviews have made of each pull request: of the runs before, by what their jobs have reported.

import { type Kysely, sql } from "kysely";

const counts = ["open", "fixed", "declined", "withdrawn"] as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.supportsTransactionalDdl;
  let table = db.schema
    .createTable("pull_reviews")
    .addColumn("billing_account", "text", (column) => column.notNull())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("pull_request", "bigint", (column) => column.notNull())
    .addColumn("repository", "text")
    .addColumn("run_id", "text", (column) => column.notNull());
  for (const name of ["ended_at", "first_ended_at", "rounds", ...counts] as const)
    table = table.addColumn(name, "bigint", (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint("pull_reviews_key", ["billing_account", "agent_id", "pull_request"])
    .execute();
  await db.schema
    .createIndex("pull_reviews_ended")
    .on("pull_reviews")
    .columns(["billing_account", "ended_at"])
    .execute();

  const finding = (name: string) => numberOf(isPostgres, ["report", "findings", name]);
  await sql`insert into pull_reviews
    (billing_account, agent_id, pull_request, repository, run_id, ended_at, first_ended_at, rounds, "open", fixed, declined, withdrawn)
    with reported as (
      select payer, agent_id, repository, id, ended_at, ${finding("pull_request")} as pull_request,
        ${finding("new")} + ${finding("open")} as "open", ${finding("fixed")} as fixed,
        ${finding("declined")} as declined, ${finding("withdrawn")} as withdrawn
      from runs where ended_at is not null and delivery like '%"findings":{%'
    ), placed as (
      select reported.*, row_number() over (partition by payer, agent_id, pull_request order by id desc) as place,
        min(ended_at) over (partition by payer, agent_id, pull_request) as first_ended_at,
        count(*) over (partition by payer, agent_id, pull_request) as rounds
      from reported where pull_request is not null
    )
    select payer, agent_id, pull_request, repository, id, ended_at, first_ended_at, rounds, "open", fixed, declined, withdrawn
    from placed where place = 1`.execute(db);
}

/** PostgreSQL reads no JSON that has escapes of NUL or of half a surrogate pair, and a title may have any. */
const READABLE_DELIVERY = sql`regexp_replace(delivery, ${sql.lit("\\\\u(0000|d[89a-f][0-9a-f]{2})")}, ${sql.lit("\\\\ufffd")}, 'gi')::json`;

/** A number of a run's delivery; null where it is not there. */
function numberOf(isPostgres: boolean, path: readonly string[]) {
  return isPostgres
    ? sql`(${READABLE_DELIVERY} #>> ${sql.lit(`{${path.join(",")}}`)})::bigint`
    : sql`json_extract(delivery, ${sql.lit(`$.${path.join(".")}`)})`;
}
