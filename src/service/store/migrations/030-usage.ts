// Forward only. A posting says whose ledger it is in, also where it only passes between the service's own accounts; a run says its
// repository and who started its job, also when its input is deleted. Both can be summed by their billing account.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.supportsTransactionalDdl;
  await db.schema.alterTable("ledger_postings").addColumn("billing_account", "text").execute();
  // A charge moves what was held for a run to what was earned: its billing account is the run's.
  await sql`update ledger_postings set billing_account = case
    when from_account like 'free:%' or from_account like 'account:%' then from_account
    when to_account like 'free:%' or to_account like 'account:%' then to_account
    else (select payer from runs where runs.id = ledger_postings.run_id) end`.execute(db);
  await db.schema
    .createIndex("ledger_postings_account")
    .on("ledger_postings")
    .columns(["billing_account", "at", "id"])
    .execute();

  await db.schema.alterTable("runs").addColumn("repository", "text").execute();
  await db.schema.alterTable("runs").addColumn("started_by", "text").execute();
  // What is known of runs whose input is kept still.
  const job = (...path: readonly string[]) => fieldOf(isPostgres, ["job", ...path]);
  const place = (...path: readonly string[]) => fieldOf(isPostgres, ["commit", "place", ...path]);
  await sql`update runs set
    repository = (select coalesce(
      ${job("provider")} || ':' || ${job("repository", "name")},
      ${place("provider")} || ':' || ${place("repository", "name")}) from run_inputs where run_id = runs.id),
    started_by = (select ${job("provider")} || ':' || ${job("actorId")} from run_inputs where run_id = runs.id)
    where exists (select 1 from run_inputs where run_id = runs.id and (input like '%"job":{%' or input like '%"commit":{%'))`.execute(
    db,
  );
  await sql`create index runs_ended on runs (payer, ended_at) where ended_at is not null`.execute(db);
}

/** PostgreSQL reads no JSON that has escapes of NUL or of half a surrogate pair, and a prompt may have any. */
const READABLE_INPUT = sql`regexp_replace(input, ${sql.lit("\\\\u(0000|d[89a-f][0-9a-f]{2})")}, ${sql.lit("\\\\ufffd")}, 'gi')::json`;

/** A text of a run's input; null where it is not there. */
function fieldOf(isPostgres: boolean, path: readonly string[]) {
  return isPostgres
    ? sql`(${READABLE_INPUT} #>> ${sql.lit(`{${path.join(",")}}`)})`
    : sql`json_extract(input, ${sql.lit(`$.${path.join(".")}`)})`;
}
