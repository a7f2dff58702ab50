// Sums of runs that have ended, by what is common to them. Implemented in store/usage.ts.

import type { UsageBy } from "../../../contract/money/usage.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly usage: UsageReader;
  }
}

export interface UsageReader {
  /**
   * The runs that a billing account has paid for and that ended from `since` on and before `until`, summed by what they have in
   * common: the `maxGroups` dearest groups, then all others together, where there are more.
   */
  sum(query: UsageQuery): Promise<readonly UsageGroup[]>;
  /** All pull requests whose newest review such a run was. */
  sumReviews(query: UsageSpan): Promise<ReviewSums>;
}

export type UsageSpan = {
  readonly billingAccount: string;
  /** Null: those of every agent. */
  readonly agentId: string | null;
  readonly since: number;
  readonly until: number;
};

export type UsageQuery = UsageSpan & {
  readonly by: UsageBy;
  readonly maxGroups: number;
};

/** Pull requests by the run that was their newest review, and what became of their findings up to it. */
export type ReviewSums = {
  readonly pullRequests: number;
  readonly reviews: number;
  readonly findingsOpen: number;
  readonly findingsFixed: number;
  readonly findingsDeclined: number;
  readonly findingsWithdrawn: number;
};

/**
 * Runs that nobody delegated are counted by outcome and checks; those that a run delegated are counted by themselves. Reviews are
 * zero in groups by what one review does not tell of the findings of those before it: `isOfReviews`.
 */
export type UsageSums = ReviewSums & {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly delegated: number;
  readonly checksPassed: number;
  readonly checksFailed: number;
  readonly checksNone: number;
  /** Of every run. */
  readonly tokens: number;
  readonly grossMicroUsd: number;
  readonly refundedMicroUsd: number;
};

export type UsageGroup = UsageSums & {
  /** Null: nothing is known of these runs, or there is no such thing. */
  readonly key: string | null;
  /** What people call it, where that is not the key. */
  readonly name?: string;
  /** All groups beyond the first ones. */
  readonly isOthers?: true;
};
