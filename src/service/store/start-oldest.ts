// The statement that starts the oldest runs of the accounts whose turn it is, on PostgreSQL. `executor/fair-queue.ts` does the same in one
// process.
// Why: docs/decisions/176-accounts-share-the-workers.md, docs/decisions/189-weights-of-plans.md

import { accountWallet } from "../core/money/ledger.ts";
import { hasWeights, WEIGHT_WITHOUT_PLAN } from "../core/money/rates.ts";
import type { OldestStart, StartedRun } from "../core/runs/queue-port.ts";
import type { RunRecord } from "../core/runs/run-record.ts";
import type { RunEventsTable } from "./events.ts";
import { ACCOUNT_ID_AT } from "./queue.ts";
import { type RunsTable, runRow } from "./run-rows.ts";
import { inputRow } from "./runs.ts";
import type { SetStatement } from "./set-statement.ts";
import { insertOf } from "./statement-columns.ts";

export const startOldestRuns: SetStatement<OldestStart, StartedRun | null> = {
  keysOf: () => [],
  run: async (sql, items) => {
    const now = Math.max(...items.map((item) => item.now));
    // The items are one node's, with one file of rates.
    const weights = items.find((item) => hasWeights(item.weights))?.weights;
    const started = await sql<RunsTable & { input: string }>(START_OLDEST, [
      now,
      items.length,
      weights === undefined ? null : JSON.stringify(weights),
    ]);
    return items.map((_, index) => {
      const row = started[index];
      return row === undefined
        ? null
        : { run: runRow.read(row) satisfies RunRecord, input: inputRow.readField("input", row.input) };
    });
  },
};

/** As the index `runs_payer` has it. */
const AT_HAND = "runs.status in ('queued', 'running', 'cancelling') and runs.parked is null";
const QUEUED = `${AT_HAND} and runs.status = 'queued'`;
/** The children of runs are not among them: they go first. */
const OWN = `${QUEUED} and runs.parent_run_id is null`;

const OPENING_EVENT = insertOf<RunEventsTable>({
  run_id: "id",
  seq: "last_seq",
  at: "heartbeat_at",
  event: `'{"type":"RUN_STARTED","threadId":' || to_json(thread_id)::text || ',"runId":' || to_json(id)::text || '}'`,
});

/**
 * The parent of a child occupies a worker while it waits: children go first. Then billing accounts share the workers: `payer` has those
 * with queued runs, found one after the other by the index. A run's place is how many its account has at work and started before it, by
 * the weight of the account's plan; of several with the same place, the account goes first that has waited longest, by its weight, since it
 * last started a run.
 * The event that opens the stream is the one that SqlQueue writes.
 */
const START_OLDEST = `
with recursive payer as (
  (select runs.payer from runs where ${OWN} order by runs.payer limit 1)
  union all
  select (select runs.payer from runs where ${OWN} and runs.payer > payer.payer order by runs.payer limit 1)
  from payer where payer.payer is not null
), child as materialized (
  select id from runs where ${QUEUED} and parent_run_id is not null
  order by id limit $2::bigint for update skip locked
), room as materialized (
  select $2::bigint - count(*) as free from child
), share as materialized (
  select payer, count(*) as runs from (
    select payer.payer from payer cross join lateral (
      select id, submitted_at, row_number() over (order by id) as number from (
        select id, submitted_at from runs where ${OWN} and runs.payer = payer.payer order by id limit (select free from room)
      ) as oldest
    ) as own cross join lateral (
      select count(*) as runs from runs where ${AT_HAND} and runs.payer = payer.payer
        and runs.status in ('running', 'cancelling')
    ) as busy cross join lateral (
      select max(started_at) as at from runs where runs.payer = payer.payer and started_at is not null
    ) as last cross join lateral (
      select coalesce((
        select ($3::json ->> accounts.plan)::double precision from accounts where $3::json is not null
          and payer.payer like '${accountWallet("%")}' and accounts.id = substr(payer.payer, ${ACCOUNT_ID_AT})
      ), ${WEIGHT_WITHOUT_PLAN}) as weight
    ) as plan where payer.payer is not null
    order by (busy.runs + own.number - 1) / plan.weight,
      case when own.number = 1 then greatest(0, $1::bigint - greatest(last.at, own.submitted_at)) * plan.weight else 0 end desc,
      plan.weight desc, own.id limit (select free from room)
  ) as next group by payer
), other as materialized (
  select own.id from share cross join lateral (
    select id from runs where ${OWN} and runs.payer = share.payer order by id limit share.runs for update skip locked
  ) as own
), started as (
  update runs set status = 'running', started_at = $1::bigint, heartbeat_at = $1::bigint, fence = fence + 1,
    last_seq = last_seq + 1
  from (select id from child union all select id from other) as oldest where runs.id = oldest.id
  returning runs.*
), opened as (
  insert into run_events (${OPENING_EVENT.columns}) select ${OPENING_EVENT.values} from started
)
select started.*, run_inputs.input from started join run_inputs on run_inputs.run_id = started.id
order by started.parent_run_id is null, started.id`;
