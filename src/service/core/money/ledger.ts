// The accounts of the ledger, whose balances always sum to zero, and what credits are worth. Amounts are micro-USD. Pure.

import type { Posting } from "./posting.ts";

export const CREDITS_PER_USD = 120;
const MICRO_PER_USD = 1_000_000;

/** The sources of grants, the credits on hold, and what was earned. Their balances may be negative. */
export const GRANTS = "grants";
export const HELD = "held";
export const EARNED = "earned";

const FREE_PREFIX = "free:";
const WALLET_PREFIX = "account:";

/** The billing account of one repository owner's free credits in one month (UTC). */
export function freeCreditsAccount(owner: { issuer: string; ownerId: string }, nowMs: number): string {
  return `${FREE_PREFIX}${owner.issuer}:${owner.ownerId}:${monthOf(nowMs)}`;
}

/** The billing account of one customer account's credits. */
export function accountWallet(accountId: string): string {
  return `${WALLET_PREFIX}${accountId}`;
}

/** Whether it is the billing account of a customer account. */
export function isAccountWallet(account: string): boolean {
  return account.startsWith(WALLET_PREFIX);
}

/** The customer account whose billing account this is. Null for free credits. */
export function accountOfWallet(account: string): string | null {
  return isAccountWallet(account) ? account.slice(WALLET_PREFIX.length) : null;
}

/** True for a billing account: its balance may not be negative. */
export function isBillingAccount(account: string): boolean {
  return account.startsWith(FREE_PREFIX) || account.startsWith(WALLET_PREFIX);
}

/** The change of an account's balance by a posting: 0 where it only passes between others. */
export function changeOf(
  account: string,
  { from, to, microUsd }: Pick<Posting, "from" | "to" | "microUsd">,
): number {
  if (to === account) return microUsd;
  return from === account ? -microUsd : 0;
}

/** The month (UTC) that a moment is in: `2026-11`. */
export function monthOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 7);
}

/** When next month's free credits are granted, in milliseconds since the epoch. */
export function freeCreditsResetAt(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
}

/** The amount of a grant: rounded up, so that it pays for as many charges of one credit. */
export function grantInMicroUsd(credits: number): number {
  return Math.ceil((credits * MICRO_PER_USD) / CREDITS_PER_USD);
}

/** An amount in credits, not rounded: up to one division of whole numbers, the exact decimal of at most five places. */
export function creditsOf(microUsd: number): number {
  return (microUsd * CREDITS_PER_USD) / MICRO_PER_USD;
}

/** A charge in credits, rounded to the nearest. */
export function chargeInCredits(microUsd: number): number {
  return Math.round(creditsOf(microUsd));
}

/** A balance in whole credits, rounded down. */
export function balanceInCredits(microUsd: number): number {
  return Math.max(0, Math.floor(creditsOf(microUsd)));
}

/** The amount of a price: rounded down, so that a grant of as many credits pays for it. */
export function priceInMicroUsd(credits: number): number {
  return Math.floor((credits * MICRO_PER_USD) / CREDITS_PER_USD);
}

/**
 * What a run costs that calls no model: one credit. It is held at submission and charged once the run has started.
 */
export const RUN_FEE_MICRO_USD = priceInMicroUsd(1);
