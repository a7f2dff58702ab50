// An account and its subscription. Times are milliseconds since the epoch. Pure.

/** "past_due": a payment is missing, so that it does not renew. */
import type { Plan } from "../money/plan.ts";
export const subscriptionStatuses = ["active", "past_due", "cancelled"] as const;
type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** The subscription that an account pays each month, at the terms of its beginning or of the last change. */
export type Subscription = {
  readonly id: string;
  /** One of the rates' subscriptions. */
  readonly sku: string;
  readonly monthlyCredits: number;
  readonly status: SubscriptionStatus;
  readonly startedAt: number;
  /** Counts the months since then, from 0. */
  readonly period: number;
  readonly periodEnd: number;
  readonly cancelAtPeriodEnd: boolean;
};

/** Who owns agents and pays for their runs. */
export type Account = {
  readonly id: string;
  /** What its people call it. Null: nothing. */
  readonly name: string | null;
  readonly plan: Plan;
  readonly createdAt: number;
  /** The latest one, even if it has ended; null where there never was one. */
  readonly subscription: Subscription | null;
};
