// Makes a run that a schedule or a workflow starts one of its workspace. Loads at start, with the scheduler: of workspaces it
// needs rows alone.

import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { RunWorkspace } from "../../runs/run-record.ts";
import type { WorkRefusal } from "../refusals.ts";

/** It has the accepted files, and no copy. */
export function placeIn(workspaceId: string): RunWorkspace {
  return { workspaceId, copyId: null, taskGroupId: null, workerId: null };
}

/** Null where the account's new work in workspaces is taken. */
export function findAdmissionFault({ workspaces }: Core, accountId: string): WorkRefusal | null {
  const { takesWork = false, accounts = null } = workspaces?.admission ?? {};
  const isAdmitted = takesWork && (accounts === null || accounts.includes(accountId));
  return isAdmitted ? null : { reason: "workspaces_not_admitted", what: "workspaces" };
}

/** Part of the transaction that makes the run. Nothing is written for a workspace that is being deleted. */
export async function enterWorkspace(
  core: Core,
  tx: StoreTransaction,
  run: {
    readonly runId: string;
    readonly sessionId: string;
    readonly agentId: string;
    readonly workspace: RunWorkspace;
  },
): Promise<void> {
  const { runId, sessionId, agentId, workspace } = run;
  const { workspaceId } = workspace;
  const found = await tx.workspaces.share(workspaceId);
  if (found === null || found.state === "erasing") return;
  const createdAt = core.clock.now();
  await tx.workspaceRuns.insert({ ...workspace, runId, agentId, begunCommitOid: null, createdAt });
  await tx.threads.insert({ id: sessionId, workspaceId, agentId, title: null, createdAt });
}
