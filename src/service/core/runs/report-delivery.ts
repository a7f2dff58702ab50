// PUT /v1/ci/runs/{runID}/delivery: what a job did with the results of a run.
// Why: docs/decisions/155-the-job-reports-what-it-delivered.md

import { canonicalJson } from "../../../base/canonical-json.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { DeliveryReport } from "../../../contract/runs/delivery.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import type { CiJobCaller } from "../accounts/caller.ts";
import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { Core } from "../core.ts";
import { isCounted, reviewOf } from "./pull-review.ts";
import { findStream } from "./read-run.ts";
import type { DeliveryRefusal, RunRefusal } from "./refusals.ts";
import type { RunDelivery } from "./run-record.ts";

export type ReportedDelivery = Extract<RunDelivery, { state: "reported" }>;

type Reporting = { readonly caller: CiJobCaller; readonly runId: string; readonly report: DeliveryReport };

/**
 * Keeps what a job reports of a run that has ended or is parked. An attempt of a job reports once, and may say the same again; a
 * later one, which found the run and delivered it anew, takes its place.
 */
export async function reportDelivery(
  core: Core,
  { caller, runId, report }: Reporting,
): Promise<Result<ReportedDelivery, RunRefusal | DeliveryRefusal>> {
  const found = await findStream(core, { caller, runId });
  if (!found.ok) return found;
  const by = attemptOf(caller.capability.job);
  return await core.store.transact(
    async (tx): Promise<Result<ReportedDelivery, RunRefusal | DeliveryRefusal>> => {
      const run = await tx.runs.lock(runId);
      if (run === null) return refused({ reason: "run_not_found", runId });
      if (!isTerminal(run.status) && run.parked === undefined)
        return refused({ reason: "run_unfinished", runId });
      const before = run.delivery;
      if (before?.state === "reported" && before.by === by)
        return canonicalJson(before.report) === canonicalJson(report)
          ? ok(before)
          : refused({ reason: "delivery_reported", runId });
      const delivery: ReportedDelivery = { state: "reported", at: core.clock.now(), by, report };
      await tx.runs.update(runId, { delivery });
      const review = reviewOf(run, report);
      if (review !== null) await tx.pullReviews.put(review, { isFirst: !isCounted(before, review) });
      return ok(delivery);
    },
  );
}

/** Ids of runs and attempts are the provider's, and an agent is of one repository at one provider. */
function attemptOf({ runId, runAttempt }: JobIdentity): string {
  return JSON.stringify([runId, runAttempt]);
}
