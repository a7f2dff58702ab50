// Continues the parked runs that nobody has to continue: those whose day is over, and those whose model's provider was away. Every
// node sweeps; the lock of a run lets one of them do it.
// Why: docs/decisions/141-a-run-is-parked.md

import { findPolicyFault } from "../agents/ci-policy.ts";
import type { Core } from "../core.ts";
import { UnpaidError } from "./billing-account.ts";
import { announceContinued, continueParked } from "./continue-run.ts";
import { postponed } from "./retries.ts";
import type { ParkedState, RunRecord } from "./run-record.ts";

/** Of one node in one sweep: an outage may have parked very many. */
const MAX_TRIES_A_SWEEP = 20;
const nothing = { message: null, maxCostMicroUsd: null, maxTokens: null };

/** Returns how many go on. Never rejects. */
export async function retryParked(core: Core): Promise<number> {
  const { clock, log, store } = core;
  let continued = 0;
  try {
    const due = { now: clock.now(), limit: MAX_TRIES_A_SWEEP };
    for (const runId of await store.committed.queue.listRetriable(due)) {
      if (!(await retry(core, runId))) continue;
      continued += 1;
      log.info({ run_id: runId }, "parked run goes on by itself");
      announceContinued(core, runId);
    }
  } catch (cause) {
    log.warn({ err: cause }, "parked runs could not be tried again, trying later");
  }
  return continued;
}

/** False where it is not due any more, or cannot begin now: then it is looked at again later. */
async function retry(core: Core, runId: string): Promise<boolean> {
  let isUnpaid = false;
  for (;;) {
    try {
      return await core.store.transact(async (tx) => {
        const run = await tx.runs.lock(runId);
        const now = core.clock.now();
        if (!isDue(run, now)) return false;
        const { parked } = run;
        const agent = await tx.agents.find(run.agentId);
        const input = await tx.runs.findInput(runId);
        const job = input?.job ?? null;
        const mayRun =
          agent !== null &&
          agent.retiredAt === null &&
          (job === null || findPolicyFault(agent, job) === null);
        const resumed =
          mayRun && !isUnpaid
            ? await continueParked(core, tx, { run, parked, given: nothing, agent, job, by: "itself" })
            : null;
        if (resumed?.ok === true) return true;
        await tx.runs.update(runId, { parked: postponed(parked, now) });
        return false;
      });
    } catch (cause) {
      // The transaction is undone: the run is postponed in one of its own.
      if (!(cause instanceof UnpaidError) || isUnpaid) throw cause;
      isUnpaid = true;
    }
  }
}

function isDue(run: RunRecord | null, now: number): run is RunRecord & { readonly parked: ParkedState } {
  return run?.status === "running" && (run.parked?.nextTryAt ?? Number.POSITIVE_INFINITY) <= now;
}
