// What must be true of the money at any moment, read past the store as an auditor would.

import { expect } from "vitest";
import { EARNED, GRANTS, HELD, RUN_FEE_MICRO_USD } from "../../src/service/core/ledger.ts";
import type { StorePlace } from "./stores.ts";

type Row = Record<string, unknown>;

/** Reads ledger and runs, and fails where they contradict each other. */
export async function expectSoundLedger(place: StorePlace): Promise<void> {
  const postings = await place.query("select * from ledger_postings");
  const accounts = await place.query("select * from ledger_accounts");
  const runs = await place.query("select * from runs");

  const balances = balancesOf(postings);
  expect([...balances.values()].reduce((sum, balance) => sum + balance, 0)).toBe(0);
  for (const account of accounts) {
    const balance = Number(account.balance_micro_usd);
    expect(balance, String(account.id)).toBe(balances.get(String(account.id)) ?? 0);
    expect(balance, String(account.id)).toBeGreaterThanOrEqual(0);
  }
  const known = new Set([GRANTS, HELD, EARNED, ...accounts.map(({ id }) => String(id))]);
  expect([...balances.keys()].filter((account) => !known.has(account))).toEqual([]);

  const unfinished = runs.filter(({ status }) => ["queued", "running", "cancelling"].includes(String(status)));
  const held = unfinished.reduce((sum, run) => sum + Number(run.hold_micro_usd), 0);
  expect(balances.get(HELD) ?? 0).toBe(held);
  for (const run of runs) {
    expectSettled(
      run,
      postings.filter((posting) => posting.run_id === run.id),
    );
  }
}

function balancesOf(postings: readonly Row[]): Map<string, number> {
  const balances = new Map<string, number>();
  for (const posting of postings) {
    const amount = Number(posting.micro_usd);
    expect(amount).toBeGreaterThan(0);
    const [from, to] = [String(posting.from_account), String(posting.to_account)];
    balances.set(from, (balances.get(from) ?? 0) - amount);
    balances.set(to, (balances.get(to) ?? 0) + amount);
  }
  return balances;
}

/** One hold a run; once it has ended, exactly one way out of it. */
function expectSettled(run: Row, postings: readonly Row[]): void {
  const kinds = postings.map(({ kind }) => String(kind)).sort();
  const gross = Number(run.gross_micro_usd);
  const refunded = Number(run.refunded_micro_usd);
  const label = `run ${run.id}: ${run.status} ${run.cause}`;
  expect(new Set(postings.map(({ micro_usd }) => Number(micro_usd))), label).toEqual(
    new Set([RUN_FEE_MICRO_USD]),
  );
  if (["queued", "running", "cancelling"].includes(String(run.status))) {
    expect(kinds, label).toEqual(["hold"]);
  } else if (run.started_at === null) {
    expect([kinds, gross, refunded], label).toEqual([["hold", "release"], 0, 0]);
  } else if (refunded > 0) {
    expect([kinds, gross, refunded], label).toEqual([
      ["charge", "hold", "refund"],
      RUN_FEE_MICRO_USD,
      RUN_FEE_MICRO_USD,
    ]);
    expect(run.refund_reason, label).toBe(run.cause);
  } else {
    expect([kinds, gross, run.refund_reason], label).toEqual([["charge", "hold"], RUN_FEE_MICRO_USD, null]);
  }
}
