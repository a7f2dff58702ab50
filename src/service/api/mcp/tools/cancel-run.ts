// cancel_run: asks a run to end. One that has ended stays as it was.

import { ok, refused } from "../../../../base/result.ts";
import { cancelRunTool } from "../../../../contract/mcp/run-tools.ts";
import { isTerminal } from "../../../../contract/runs/run.ts";
import { cancelRun } from "../../../core/runs/cancel-run.ts";
import { findRun } from "../../../core/runs/read-run.ts";
import { answer, defineTool } from "../tool.ts";

export const cancelRunById = defineTool({
  name: "cancel_run",
  title: "Cancel a run",
  description: "Asks a run, and those that it has delegated, to end. Safe to repeat.",
  hints: { isIdempotent: true },
  scopes: ["runs:write", "runs:read"],
  schemas: cancelRunTool,
  run: async ({ run_id: runId }, { core, caller }) => {
    const found = await findRun(core, { caller, runId });
    if (!found.ok) return found;
    const { agentId } = found.value;
    const cancelled = await cancelRun(core, { caller, agentId, runId });
    if (!cancelled.ok && cancelled.refusal.reason !== "run_finished") return refused(cancelled.refusal);
    const run = await findRun(core, { caller, runId });
    if (!run.ok) return run;
    const { status } = run.value;
    const text = isTerminal(status) ? `Run ${runId} has ended: ${status}.` : `Run ${runId} was asked to end.`;
    return ok(answer({ run_id: runId, status }, text));
  },
});
