// Money: micro-USD in, micro-USD out, between accounts whose sum is always zero. Pure.

export const CREDITS_PER_USD = 120;
const MICRO_PER_USD = 1_000_000;

/** Where granted credits come from, where holds wait, and what was earned. They may fall below zero. */
export const GRANTS = "grants";
export const HELD = "held";
export const EARNED = "earned";

const FREE_PREFIX = "free:";
const WALLET_PREFIX = "account:";

/** A billing account's account: the free credits of one repository owner in one month (UTC). */
export function freeCreditsAccount(owner: { issuer: string; ownerId: string }, nowMs: number): string {
  return `${FREE_PREFIX}${owner.issuer}:${owner.ownerId}:${new Date(nowMs).toISOString().slice(0, 7)}`;
}

/** A billing account's account: the credits of one customer account. */
export function accountWallet(accountId: string): string {
  return `${WALLET_PREFIX}${accountId}`;
}

/** True for an account that may not fall below zero. */
export function isBillingAccount(account: string): boolean {
  return account.startsWith(FREE_PREFIX) || account.startsWith(WALLET_PREFIX);
}

/** Milliseconds since the epoch at which next month's free credits come. */
export function freeCreditsResetAt(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
}

/** What a grant of so many credits is worth: rounded up, so that it pays for as many charges of one credit. */
export function grantInMicroUsd(credits: number): number {
  return Math.ceil((credits * MICRO_PER_USD) / CREDITS_PER_USD);
}

/** What a charge is called in credits: to the nearest. */
export function chargeInCredits(microUsd: number): number {
  return Math.round((microUsd * CREDITS_PER_USD) / MICRO_PER_USD);
}

/** What a balance is called in credits: whole ones only. */
export function balanceInCredits(microUsd: number): number {
  return Math.max(0, Math.floor((microUsd * CREDITS_PER_USD) / MICRO_PER_USD));
}

/**
 * What a run costs that calls no model: one credit, rounded down. It is held at submission and charged once the run
 * has started.
 */
export const RUN_FEE_MICRO_USD = Math.floor(MICRO_PER_USD / CREDITS_PER_USD);
