// Submits a run of a workspace: its row beside the run, its session among those of the workspace, its copy for it alone.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { SubmitRefusal } from "../../runs/refusals.ts";
import type { RunWorkspace } from "../../runs/run-record.ts";
import type { Submission, Submitted } from "../../runs/submission.ts";
import type { RunSubmitter } from "../../runs/submit-run.ts";
import { holderOf } from "../copies/copy.ts";
import { findExecutor } from "../members/find-executor.ts";
import type { MemberRefusal } from "../members/refusals.ts";
import { reachForWork } from "../reach-workspace.ts";
import type {
  CopyHeldRefusal,
  CopyRefusal,
  WorkRefusal,
  WorkspaceRefusal,
  WorkspaceRunRefusal,
} from "../refusals.ts";

type WorkspaceSubmission = Pick<Submission, "origin" | "parent" | "workflow" | "idempotencyKey"> & {
  readonly caller: AccountCaller;
  /** A member. Undefined: the manager. */
  readonly agentId: string | undefined;
  readonly body: Submission["body"];
  readonly workspace: RunWorkspace;
  /** Writes that come before all others of the transaction, such as the copy. */
  readonly prepare?: (tx: StoreTransaction) => Promise<void>;
  /** Further writes of the transaction that makes the run: a refusal undoes all of it. */
  readonly alongside?: (
    tx: StoreTransaction,
    run: { readonly runId: string; readonly sessionId: string; readonly agentId: string },
  ) => Promise<void>;
};

export type SubmitWorkspaceRefusal =
  | SubmitRefusal
  | WorkspaceRefusal
  | WorkRefusal
  | MemberRefusal
  | CopyHeldRefusal
  | CopyRefusal
  | WorkspaceRunRefusal;

/** The refusal that is found within the transaction that makes the run: all of it is undone. */
class WithinRefusedError extends Error {
  readonly refusal: WorkspaceRefusal | WorkRefusal | CopyHeldRefusal | CopyRefusal | WorkspaceRunRefusal;

  constructor(refusal: WithinRefusedError["refusal"]) {
    super("The workspace refused the run.");
    this.refusal = refusal;
  }
}

/** Safe to repeat with a key, which belongs to the executor. */
export async function submitInWorkspace(
  core: Core,
  submitter: RunSubmitter,
  submission: WorkspaceSubmission,
): Promise<Result<Submitted, SubmitWorkspaceRefusal>> {
  const { caller, workspace, prepare, alongside, agentId: named, ...rest } = submission;
  const { workspaceId } = workspace;
  const reached = await reachForWork(core, { caller, workspaceId });
  if (!reached.ok) return reached;
  const executor = await findExecutor(core.store.committed, { workspace: reached.value, agentId: named });
  if (!executor.ok) return executor;
  const agentId = executor.value;
  try {
    return await submitter.submit({
      ...rest,
      caller,
      agentId,
      workspace,
      canBeAnswered: true,
      alongside: async (tx, run) => {
        // It goes on where it was parked.
        if ((await tx.workspaceRuns.find([run.runId])).length > 0) return;
        await prepare?.(tx);
        await admitWithin(core, tx, submission);
        await insertRun(core, tx, { ...run, agentId, workspace });
        await alongside?.(tx, { ...run, agentId });
      },
    });
  } catch (cause) {
    if (cause instanceof WithinRefusedError) return refused(cause.refusal);
    throw cause;
  }
}

/** The workspace and its copy as they are now, locked: neither is deleted meanwhile, and no other run takes the copy. */
async function admitWithin(core: Core, tx: StoreTransaction, submission: WorkspaceSubmission): Promise<void> {
  const { caller, body, workspace } = submission;
  const { workspaceId, copyId } = workspace;
  await tx.workspaces.share(workspaceId);
  const reached = await reachForWork(core, { caller, workspaceId }, tx);
  if (!reached.ok) throw new WithinRefusedError(reached.refusal);
  const { session_id: sessionId } = body;
  if (sessionId !== undefined && (await tx.threads.find(sessionId))?.workspaceId !== workspaceId) {
    throw new WithinRefusedError({ reason: "session_of_no_workspace", sessionId, workspaceId });
  }
  if (copyId === null) return;
  const free = await takeCopy(tx, { workspaceId, copyId });
  if (!free.ok) throw new WithinRefusedError(free.refusal);
}

async function takeCopy(
  tx: StoreTransaction,
  { workspaceId, copyId }: { readonly workspaceId: string; readonly copyId: string },
): Promise<Result<null, CopyHeldRefusal | CopyRefusal | WorkspaceRunRefusal>> {
  const copy = await tx.copies.lock(copyId);
  if (copy?.workspaceId !== workspaceId || copy.state !== "ready") {
    return refused({ reason: "copy_not_found", copyId });
  }
  if (copy.isCanonical) return refused({ reason: "run_in_canonical", copyId });
  const holder = holderOf(copy)?.runId ?? (await tx.workspaceRuns.findUnfinishedIn(copyId));
  return holder === null ? ok(null) : refused({ reason: "copy_held", copyId, runId: holder });
}

async function insertRun(
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
  const createdAt = core.clock.now();
  await tx.workspaceRuns.insert({ ...workspace, runId, agentId, begunCommitOid: null, createdAt });
  const { workspaceId } = workspace;
  await tx.threads.insert({ id: sessionId, workspaceId, agentId, title: null, createdAt });
}
