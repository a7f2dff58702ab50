// The admission of runs: the run, its session, its input, the idempotency key that it uses and the hold of its price, in one
// statement for many submissions.
// Why: docs/decisions/011-the-runs-table-is-the-queue.md

import { HELD } from "../core/money/ledger.ts";
import type { Admission, Admitted } from "../core/runs/store-port.ts";
import type { KeyTable } from "./idempotency.ts";
import type { PostingTable } from "./ledger.ts";
import type { TableOf } from "./row.ts";
import { runRow } from "./run-rows.ts";
import { inputRow } from "./runs.ts";
import type { sessionRow } from "./sessions.ts";
import type { RunSql, SetStatement } from "./set-statement.ts";
import { insertOf, typed } from "./statement-columns.ts";

export const admitRuns: SetStatement<Admission, Admitted> = {
  keysOf: ({ run, key }) => [run.sessionId, ...(key === null ? [] : [`${key.agentId} ${key.key}`])],
  run: async (sql, items) => {
    const outcomes = await admit(sql, ADMIT, items);
    return outcomes.map((outcome) => outcome ?? "unpaid");
  },
  unlocked: {
    laneOf: ({ hold }) => hold.billingAccount,
    run: (sql, items) => admit(sql, ADMIT_UNLOCKED, items),
  },
};

/** Null for a run whose billing account somebody has locked, where the statement does not wait for it. */
async function admit(
  sql: RunSql,
  statement: string,
  items: readonly Admission[],
): Promise<readonly (Admitted | null)[]> {
  const now = Math.min(...items.map(({ hold }) => hold.at));
  const rows = items.map((item, place) => toAdmissionRow(item, place));
  const answers = await sql<{ id: string; is_locked: boolean; is_paid: boolean; is_admitted: boolean }>(
    statement,
    [JSON.stringify(rows), now],
  );
  const byId = new Map(answers.map((row) => [row.id, row]));
  return items.map(({ run }) => {
    const row = byId.get(run.id);
    if (row?.is_locked === true) return null;
    if (row?.is_admitted === true) return "admitted";
    return row?.is_paid === true ? "key_taken" : "unpaid";
  });
}

function toAdmissionRow({ run, input, hold, key }: Admission, place: number) {
  return {
    ...runRow.write(run, { threadSeq: 0 }),
    place,
    hold_id: hold.id,
    micro_usd: hold.microUsd,
    ...inputRow.change({ input }),
    ...(key === null ? {} : { key: key.key, request_hash: key.requestHash, expires_at: key.expiresAt }),
  };
}

const USED_KEY = insertOf<KeyTable>({
  run_id: "id",
  thread_id: "thread_id",
  request_hash: "request_hash",
  expires_at: "expires_at",
  continued_after: "null::bigint",
  agent_id: "agent_id",
  key: "key",
});

const HELD_POSTING = insertOf<PostingTable>({
  id: "hold_id",
  at: "submitted_at",
  kind: "'hold'",
  from_account: "payer",
  to_account: `'${HELD}'`,
  micro_usd: "micro_usd",
  run_id: "id",
  billing_account: "payer",
});

const COUNTED_SESSION = insertOf<TableOf<typeof sessionRow>>({
  id: "thread_id",
  agent_id: "agent_id",
  created_at: "submitted_at",
  run_count: "1",
});

const ASKED_INPUT = insertOf<TableOf<typeof inputRow>>({ run_id: "id", input: "input" });

/** A wallet is locked for this one statement, once for all of its runs. One that cannot be locked pays for none. */
const admitSql = (lock: "for update" | "for update skip locked") => `
with item as materialized (
  select * from json_to_recordset($1::json)
    as item (place integer, ${typed(runRow.columnsOfTable)}, input text, hold_id text, micro_usd bigint,
      key text, request_hash text, expires_at bigint)
), wallet as materialized (
  select id, balance_micro_usd from ledger_accounts where id in (select payer from item where micro_usd > 0)
  order by id ${lock}
), paid as materialized (
  select due.* from (
    select item.*, sum(micro_usd) over (partition by payer order by place) as due from item
  ) as due left join wallet on wallet.id = due.payer where micro_usd = 0 or due.due <= wallet.balance_micro_usd
), keyed as (
  insert into idempotency_keys (${USED_KEY.columns})
  select ${USED_KEY.values} from paid where key is not null
  on conflict (agent_id, key) do update set ${USED_KEY.replaced}
  where idempotency_keys.expires_at <= $2::bigint
  returning run_id
), admitted as materialized (
  select * from paid where key is null or id in (select run_id from keyed)
), spent as (
  update ledger_accounts set balance_micro_usd = balance_micro_usd - due.micro_usd
  from (
    select payer, sum(micro_usd)::bigint as micro_usd from admitted where micro_usd > 0 group by payer
  ) as due
  where ledger_accounts.id = due.payer
), held as (
  insert into ledger_postings (${HELD_POSTING.columns})
  select ${HELD_POSTING.values} from admitted where micro_usd > 0
), counted as (
  insert into sessions (${COUNTED_SESSION.columns}) select ${COUNTED_SESSION.values} from admitted
  on conflict (id) do update set run_count = sessions.run_count + 1
  returning id, run_count
), asked as (
  insert into run_inputs (${ASKED_INPUT.columns}) select ${ASKED_INPUT.values} from admitted
), inserted as (
  insert into runs (${runRow.columns.join(", ")})
  select ${runRow.columns.map((name) => (name === "thread_seq" ? "counted.run_count" : `admitted.${name}`)).join(", ")}
  from admitted join counted on counted.id = admitted.thread_id
)
select item.id, paid.id is not null as is_paid, admitted.id is not null as is_admitted,
  item.micro_usd > 0 and wallet.id is null and exists (select from ledger_accounts where id = item.payer) as is_locked
from item left join paid on paid.id = item.id left join admitted on admitted.id = item.id
  left join wallet on wallet.id = item.payer`;

const ADMIT = admitSql("for update");
const ADMIT_UNLOCKED = admitSql("for update skip locked");
