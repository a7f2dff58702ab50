// PUT /v1/ci/runs/{runID}/model-access: a newer token for a run in flight.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { RenewModelAccessRequest } from "../../../contract/runs/model-access.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import type { CiJobCaller } from "../accounts/caller.ts";
import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { Core } from "../core.ts";
import { findLifeFault } from "../model-access/find-access-fault.ts";
import { keepAccess } from "../model-access/kept-access.ts";
import type { RenewAccessRefusal } from "../model-access/refusals.ts";
import { findRun } from "./read-run.ts";
import type { RunRefusal } from "./refusals.ts";

type AccessRenewal = {
  readonly caller: CiJobCaller;
  readonly runId: string;
  readonly access: RenewModelAccessRequest;
};

/**
 * Keeps a newer token for a run that was submitted with one. Safe to repeat, and in any order: the token that ends last is
 * kept. Only jobs of the CI run that submitted it may: with a token of its own, another job of the repository would make the
 * run tell its prompts to whoever owns that token.
 */
export async function renewAccess(
  core: Core,
  { caller, runId, access }: AccessRenewal,
): Promise<Result<null, RunRefusal | RenewAccessRefusal>> {
  const found = await findRun(core, { caller, runId });
  if (!found.ok) return found;
  const { secretKeys } = core;
  const expiresAt = Date.parse(access.expires_at);
  const renewed = await core.store.transact(
    async (tx): Promise<Result<null, RunRefusal | RenewAccessRefusal>> => {
      const run = await tx.runs.lock(runId);
      if (run === null) return refused({ reason: "run_not_found", runId });
      if (isTerminal(run.status)) return refused({ reason: "run_finished", runId, status: run.status });
      const input = await tx.runs.findInput(runId);
      if (input?.modelAccess?.heldBy !== runId || secretKeys === null)
        return refused({ reason: "model_access_none", runId });
      if (!isOfSameCiRun(input.job, caller.capability.job))
        return refused({ reason: "model_access_of_another", runId });
      const fault = findLifeFault(core.clock.now(), expiresAt);
      if (fault !== null) return refused(fault);
      await keepAccess({ ...core, secretKeys }, tx, { runId, token: access.access_token, expiresAt });
      return ok(null);
    },
  );
  // Readers of the token ask for it at each request: nobody has to be woken.
  return renewed;
}

/** A re-run of the job, which is another attempt of the same CI run, may find the run in flight. */
export function isOfSameCiRun(submitter: JobIdentity | null, job: JobIdentity): boolean {
  return (
    submitter !== null &&
    submitter.issuer === job.issuer &&
    submitter.repository.id === job.repository.id &&
    submitter.runId === job.runId
  );
}
