// Reports of reviews, as the jobs of runs send them.

import { makeJob } from "../../fakes/records.ts";
import type { DeliveryReport } from "../../src/contract/runs/delivery.ts";
import { reportDelivery } from "../../src/service/core/runs/report-delivery.ts";
import type { CoreFixture } from "./fixtures/core-fixture.ts";

export type ReportedCounts = Partial<NonNullable<DeliveryReport["findings"]>>;

export const noCounts = { pull_request: 7, new: 0, open: 0, fixed: 0, declined: 0, withdrawn: 0 };

/** Returns "ok", or why it was refused. Counts that are left out are 0; null: the report has none. */
export async function reportReview(
  { core }: CoreFixture,
  {
    agentId,
    runId,
    counts,
    attempt = "1",
  }: { agentId: string; runId: string; counts: ReportedCounts | null; attempt?: string },
): Promise<string> {
  const capability = {
    hash: "hash",
    agentId,
    job: makeJob({ runId: `job of ${runId}`, runAttempt: attempt }),
    issuedAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
    revokedAt: null,
  };
  const report = {
    conclusion: "success",
    title: "2 findings",
    ...(counts === null ? {} : { findings: { ...noCounts, ...counts } }),
  };
  const reported = await reportDelivery(core, { caller: { kind: "ci_job", capability }, runId, report });
  return reported.ok ? "ok" : reported.refusal.reason;
}
