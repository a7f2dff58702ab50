// The newest commit of a repository's default branch: the last that a job has sent, or of a public repository has run on.
// Why: docs/decisions/117-what-a-run-without-a-job-works-on.md

import { isOnDefaultBranch } from "../../../contract/ci/events.ts";
import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";

/** Records that the job's commit is there. Changes nothing for a job of another branch, or of an older CI run. */
export async function recordDefaultHead(
  core: Pick<Core, "clock">,
  tx: Pick<StoreTransaction, "defaultHeads">,
  { agentId, job }: { readonly agentId: string; readonly job: JobIdentity },
): Promise<void> {
  if (!isOnDefaultBranch(job)) return;
  const known = await tx.defaultHeads.find(agentId);
  if (known !== null && (known.sha === job.sha || isOlder(job, known))) return;
  await tx.defaultHeads.put({ agentId, job, now: core.clock.now() });
}

/** A job that is executed again names the commit of its first time. Ids that are no numbers have no order. */
function isOlder(job: JobIdentity, than: JobIdentity): boolean {
  const [id, other] = [Number(job.runId), Number(than.runId)];
  return Number.isSafeInteger(id) && Number.isSafeInteger(other) && id < other;
}
