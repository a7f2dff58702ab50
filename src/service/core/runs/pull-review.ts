// The state of a pull request's reviews so far, as their jobs report it. Implemented in store/pull-reviews.ts.
// Why: docs/decisions/158-a-resolution-rate.md

import type { DeliveryReport } from "../../../contract/runs/delivery.ts";
import type { RunDelivery, RunRecord } from "./run-record.ts";

declare module "../ports/store.ts" {
  interface StoreTransaction {
    readonly pullReviews: PullReviewStore;
  }
}

export interface PullReviewStore {
  /**
   * Counts the report of a run's job. The counts, their time and the repository's name are those of the newest run, in whatever
   * order runs report. `isFirst`: the run has reported no counts before. Safe to race.
   */
  put(review: PullReview, reported: { readonly isFirst: boolean }): Promise<void>;
}

/** One row for each billing account, agent and pull request. Each finding is in one of the four counts. */
export type PullReview = {
  readonly billingAccount: string;
  readonly agentId: string;
  readonly pullRequest: number;
  /** `github:octo/hello`, as it was called at the newest run. */
  readonly repository?: string;
  /** The newest run: ids of runs are in the order of their submissions. */
  readonly runId: string;
  /** When that run ended. */
  readonly endedAt: number;
  /** When the first of the runs ended. */
  readonly firstEndedAt: number;
  /** How many runs have reported counts. */
  readonly rounds: number;
  /** Also those that the newest run was the first to find. */
  readonly open: number;
  readonly fixed: number;
  readonly declined: number;
  readonly withdrawn: number;
};

/** Null where the report has no counts, and of a parked run: its review is not over. */
export function reviewOf(run: RunRecord, { findings }: DeliveryReport): PullReview | null {
  if (findings === undefined || run.endedAt === null) return null;
  const { pull_request: pullRequest, new: fresh, open, fixed, declined, withdrawn } = findings;
  return {
    billingAccount: run.billingAccount,
    agentId: run.agentId,
    pullRequest,
    ...(run.repository === undefined ? {} : { repository: run.repository }),
    runId: run.id,
    endedAt: run.endedAt,
    firstEndedAt: run.endedAt,
    rounds: 1,
    open: fresh + open,
    fixed,
    declined,
    withdrawn,
  };
}

/** Whether an earlier report of the run, as of another attempt of its job, is counted. */
export function isCounted(before: RunDelivery | null, review: PullReview): boolean {
  return before?.state === "reported" && before.report.findings?.pull_request === review.pullRequest;
}
