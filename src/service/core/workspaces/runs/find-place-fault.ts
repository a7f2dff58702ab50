// Obstacles to going on with a parked run of a workspace: the copy that it works in was free meanwhile. Loads at start, with the hooks: of
// workspaces it needs rows alone.

import type { RunContinues } from "../../runs/continue-run.ts";

export const findPlaceFault: RunContinues = async (tx, { runId, input }) => {
  const copyId = input.workspace?.copyId ?? null;
  if (copyId === null) return null;
  // Locked, so that no other run takes it meanwhile.
  await tx.copies.lock(copyId);
  const byRunId = await tx.workspaceRuns.findUnfinishedIn(copyId);
  return byRunId === null || byRunId === runId ? null : { reason: "place_taken", runId, byRunId };
};
