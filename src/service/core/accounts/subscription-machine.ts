// The states of a subscription and the moves between them. Pure.
//
//   active ⇄ past_due
//      ↘      ↙
//      cancelled

import type { Subscription } from "./account.ts";

/** An active one in its first period, which begins now. */
export function newSubscription(order: {
  id: string;
  sku: string;
  monthlyCredits: number;
  now: number;
}): Subscription {
  const { now, ...terms } = order;
  return {
    ...terms,
    status: "active",
    startedAt: now,
    period: 0,
    periodEnd: monthsAfter(now, 1),
    cancelAtPeriodEnd: false,
  };
}

/** True when it continues and its period has ended. */
export function hasPeriodEnded({ status, periodEnd }: Subscription, now: number): boolean {
  return status !== "cancelled" && periodEnd <= now;
}

/** Its state after the end of its period: in the next period, or cancelled because that was requested or it is not paid. */
export function nextPeriod(subscription: Subscription): Subscription {
  if (subscription.cancelAtPeriodEnd || subscription.status !== "active") return ended(subscription);
  const period = subscription.period + 1;
  return { ...subscription, period, periodEnd: monthsAfter(subscription.startedAt, period + 1) };
}

/** Ended now, before the end of its period. */
export function ended(subscription: Subscription): Subscription {
  return { ...subscription, status: "cancelled" };
}

/** The same day and time so many months later (UTC); a month without that day has its last one instead. */
export function monthsAfter(startMs: number, months: number): number {
  const start = new Date(startMs);
  const year = start.getUTCFullYear();
  const month = start.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const timeOfDayMs = startMs - Date.UTC(year, start.getUTCMonth(), start.getUTCDate());
  return Date.UTC(year, month, Math.min(start.getUTCDate(), lastDay)) + timeOfDayMs;
}
