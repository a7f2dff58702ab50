// What must be true of the money at any moment, read past the store as an auditor would.

import { expect } from "vitest";
import { HELD, isBillingAccount } from "../../src/service/core/money/ledger.ts";
import { feeOf } from "../../src/service/core/money/run-price.ts";
import { failureFaults } from "../../src/service/core/runs/failure.ts";
import type { StorePlace } from "./stores/stores.ts";

/** Reasons that a refund may have instead of the run's cause. */
const servicesFaults = Object.entries(failureFaults).flatMap(([reason, fault]) =>
  fault === "service" ? [reason] : [],
);

type Row = Record<string, unknown>;

/** All at one moment: runs may be at work meanwhile. */
const POSTINGS = `
  select p.kind, p.from_account, p.to_account, p.micro_usd, p.run_id,
    r.status, r.cause, r.stop_reason, r.started_at, r.usage, r.price, r.hold_micro_usd, r.gross_micro_usd,
    r.refunded_micro_usd,
    r.refund_reason,
    f.balance_micro_usd as from_balance, t.balance_micro_usd as to_balance
  from ledger_postings p
  left join runs r on r.id = p.run_id
  left join ledger_accounts f on f.id = p.from_account
  left join ledger_accounts t on t.id = p.to_account`;

const UNPAID_RUNS = `
  select id from runs where hold_micro_usd > 0
    and not exists (select 1 from ledger_postings p where p.run_id = runs.id)`;

const UNFINISHED: readonly unknown[] = ["queued", "running", "cancelling"];

/** Reads ledger and runs, and fails where they contradict each other. */
export async function expectSoundLedger(place: Pick<StorePlace, "query">): Promise<void> {
  const postings = await place.query(POSTINGS);
  expect(await place.query(UNPAID_RUNS)).toEqual([]);

  const balances = balancesOf(postings);
  expect([...balances.values()].reduce((sum, balance) => sum + balance, 0)).toBe(0);
  for (const posting of postings) {
    expectKept(balances, posting.from_account, posting.from_balance);
    expectKept(balances, posting.to_account, posting.to_balance);
  }

  const runs = Map.groupBy(
    postings.filter(({ run_id }) => run_id !== null),
    ({ run_id }) => run_id,
  );
  let held = 0;
  for (const own of runs.values()) {
    expectSettled(own);
    if (UNFINISHED.includes(own[0]?.status)) held += Number(own[0]?.hold_micro_usd);
  }
  expect(balances.get(HELD) ?? 0).toBe(held);
}

function balancesOf(postings: readonly Row[]): Map<unknown, number> {
  const balances = new Map<unknown, number>();
  for (const { from_account: from, to_account: to, micro_usd } of postings) {
    const amount = Number(micro_usd);
    expect(amount).toBeGreaterThan(0);
    balances.set(from, (balances.get(from) ?? 0) - amount);
    balances.set(to, (balances.get(to) ?? 0) + amount);
  }
  return balances;
}

/** A billing account's balance is kept beside its postings, is their sum, and never below zero. */
function expectKept(balances: ReadonlyMap<unknown, number>, account: unknown, kept: unknown): void {
  expect(kept === null, String(account)).toBe(!isBillingAccount(String(account)));
  if (kept === null) return;
  expect(Number(kept), String(account)).toBe(balances.get(account));
  expect(Number(kept), String(account)).toBeGreaterThanOrEqual(0);
}

/**
 * What was held is held until the end, or until the run is parked; then it is charged or given back, whole. A run that never started, or that no
 * model worked on, is charged nothing, any other the fee at least and never more than was held, and its usage by role sums to that. What is
 * refunded is all that was charged.
 */
function expectSettled(postings: readonly Row[]): void {
  const run = postings[0] ?? {};
  const label = `run ${run.run_id}: ${run.status} ${run.cause}`;
  const sumOf = (wanted: string) =>
    postings.reduce((sum, { kind, micro_usd }) => sum + (kind === wanted ? Number(micro_usd) : 0), 0);
  const held = sumOf("hold");
  const charged = sumOf("charge");
  const released = sumOf("release");
  const refunded = sumOf("refund");
  const heldNow = Number(run.hold_micro_usd);
  const fee = feeOf(typeof run.price === "string" ? JSON.parse(run.price) : null);
  expect(held, label).toBeGreaterThanOrEqual(fee);
  expect([charged, refunded], label).toEqual([Number(run.gross_micro_usd), Number(run.refunded_micro_usd)]);
  if (UNFINISHED.includes(run.status)) {
    // A parked run has given back what it had not used.
    expect([charged, held - released, refunded], label).toEqual([0, heldNow, 0]);
    return;
  }
  for (const kind of ["charge", "refund"]) {
    expect(postings.filter((posting) => posting.kind === kind).length, label).toBeLessThanOrEqual(1);
  }
  // Each release but that of the end is of a time when the run was parked.
  const releases = postings
    .filter(({ kind }) => kind === "release")
    .map(({ micro_usd }) => Number(micro_usd));
  const atEnd = heldNow - charged;
  const whileParked = releases.toSpliced(releases.lastIndexOf(atEnd), atEnd === 0 ? 0 : 1);
  expect(held - whileParked.reduce((sum, amount) => sum + amount, 0), label).toBe(heldNow);
  expect(charged + released, label).toBe(held);
  const isFree = run.stop_reason === "no_model" || run.stop_reason === "insufficient_credits";
  if (run.started_at === null || isFree) expect(charged, label).toBe(0);
  else expect(charged, label).toBeGreaterThanOrEqual(fee);
  const usage = rolesOf(run.usage);
  expect(
    usage.reduce((sum, { microUsd }) => sum + microUsd, 0),
    label,
  ).toBe(charged);
  // Without a call of a model there is nothing to pay but the fee, and the minutes of a workflow.
  if (charged > 0 && run.price === null && usage.every(({ calls }) => calls === 0))
    expect(charged, label).toBe(fee);
  expect([0, charged], label).toContain(refunded);
  if (refunded === 0) expect(run.refund_reason, label).toBeNull();
  else expect([run.cause, ...servicesFaults], label).toContain(run.refund_reason);
}

function rolesOf(usage: unknown): readonly { readonly microUsd: number; readonly calls: number }[] {
  const stored: { roles?: Record<string, { microUsd: number; calls: number }> } = JSON.parse(
    typeof usage === "string" ? usage : "{}",
  );
  return Object.values(stored.roles ?? {});
}
