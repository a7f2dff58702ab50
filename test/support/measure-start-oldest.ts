// Prints what the statement takes that gives a free worker its run on PostgreSQL, one run a statement: one account with 10,000 queued
// runs, 100 with 100 each and 1,000 with 10 each, each account with as many ended ones, with the same weight for all plans and with
// another for each: `TEST_DATABASE_URL=… node test/support/measure-start-oldest.ts`.

import { makeRun, makeRunInput } from "../../fakes/records.ts";
import type { PlanWeights } from "../../src/service/core/money/rates.ts";
import { postgresStore, type StorePlace } from "./stores/stores.ts";

const QUEUES = [
  { accounts: 1, runs: 10_000 },
  { accounts: 100, runs: 100 },
  { accounts: 1_000, runs: 10 },
];
const WEIGHTS: readonly PlanWeights[] = [
  { registered_free: 1, subscribed: 1 },
  { registered_free: 1, subscribed: 3 },
];
const STARTS = 200;
const NOW = 1_760_000_000_000;

for (const queue of QUEUES) for (const weights of WEIGHTS) await measure(queue, weights);

async function measure(queue: (typeof QUEUES)[number], weights: PlanWeights): Promise<void> {
  const place = await postgresStore.make();
  const store = await place.open();
  try {
    await store.transact((tx) =>
      tx.runs.insert(makeRun({ id: "template", billingAccount: "free:template" }), makeRunInput()),
    );
    await fill(place, queue);
    const times: number[] = [];
    for (let start = 0; start < STARTS; start += 1) {
      const startedAt = performance.now();
      const taken = await store.transact((tx) => tx.queue.startOldest({ now: NOW + start, weights }), {
        isOneWrite: true,
      });
      times.push(performance.now() - startedAt);
      if (taken === null) throw new Error("No run was started.");
    }
    times.sort((one, other) => one - other);
    const at = (part: number) => times[Math.floor(part * STARTS)]?.toFixed(1) ?? "";
    const name = `${queue.accounts} × ${queue.runs} queued, weights ${Object.values(weights).join(" and ")}`;
    console.log(`${name}: median ${at(0.5)} ms, fastest ${at(0)} ms, p90 ${at(0.9)} ms`);
  } finally {
    await store.close();
    await place.remove();
  }
}

/** Every second account is subscribed. */
async function fill(place: StorePlace, { accounts, runs }: (typeof QUEUES)[number]): Promise<void> {
  const changed = (id: string, others: string) => `
    insert into runs select (jsonb_populate_record(runs, jsonb_build_object('id', ${id}, 'payer', 'account:' || account,
      'submitted_at', ${NOW} - 100000 + number${others}))).*
    from runs, generate_series(1, ${accounts}) as account, generate_series(1, ${runs}) as number where runs.id = 'template'`;
  const idOf = (kind: string) => `'${kind}-' || lpad(number::text, 6, '0') || '-' || account`;
  await place.query(
    changed(
      idOf("ended"),
      `, 'status', 'completed', 'started_at', ${NOW} - 100000 + number * 10 - account, 'ended_at', ${NOW}`,
    ),
  );
  await place.query(changed(idOf("queued"), ""));
  await place.query("delete from runs where id = 'template'");
  await place.query(`insert into run_inputs select (jsonb_populate_record(run_inputs, jsonb_build_object('run_id', runs.id))).*
    from runs, run_inputs where run_inputs.run_id = 'template' and runs.status = 'queued'`);
  await place.query(`insert into accounts (id, plan, created_at) select account::text,
    case account % 2 when 0 then 'subscribed' else 'registered_free' end, 1 from generate_series(1, ${accounts}) as account`);
  await place.query("analyze");
}
