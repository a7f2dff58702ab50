// PUT /v1/ci/runs/{runID}/mcp-access: newer tokens for the MCP servers of a run in flight.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { ServerAccesses } from "../../../contract/runs/mcp-auth.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import type { CiJobCaller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import { findLivesFault, keepServerAccesses } from "../model-access/kept-server-access.ts";
import type { RenewServerAccessRefusal } from "../model-access/refusals.ts";
import { findRun } from "./read-run.ts";
import type { RunRefusal } from "./refusals.ts";
import { isOfSameCiRun } from "./renew-access.ts";

type AccessRenewal = {
  readonly caller: CiJobCaller;
  readonly runId: string;
  readonly accesses: ServerAccesses;
};

/**
 * Keeps newer tokens for servers that the run was submitted with tokens for. Safe to repeat, and in any order: of each server the token
 * that ends last is kept. Only jobs of the CI run that submitted it may: the token of another job would act as somebody else.
 */
export async function renewServerAccess(
  core: Core,
  { caller, runId, accesses }: AccessRenewal,
): Promise<Result<null, RunRefusal | RenewServerAccessRefusal>> {
  const found = await findRun(core, { caller, runId });
  if (!found.ok) return found;
  const { secretKeys } = core;
  return await core.store.transact(
    async (tx): Promise<Result<null, RunRefusal | RenewServerAccessRefusal>> => {
      const run = await tx.runs.lock(runId);
      if (run === null) return refused({ reason: "run_not_found", runId });
      if (isTerminal(run.status)) return refused({ reason: "run_finished", runId, status: run.status });
      const input = await tx.runs.findInput(runId);
      const access = input?.mcpAccess;
      const areKnown = Object.keys(accesses).every((server) => access?.servers.includes(server) === true);
      if (input === null || access?.heldBy !== runId || !areKnown || secretKeys === null)
        return refused({ reason: "mcp_access_none", runId });
      if (!isOfSameCiRun(input.job, caller.capability.job))
        return refused({ reason: "mcp_access_of_another", runId });
      const fault = findLivesFault(core.clock.now(), accesses);
      if (fault !== null) return refused(fault);
      await keepServerAccesses({ ...core, secretKeys }, tx, { runId, accesses });
      return ok(null);
    },
  );
}
