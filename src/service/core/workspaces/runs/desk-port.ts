// The desk of a workspace's manager within a run: copies, workers, changesets. Its run acts as a member of the workspace, and
// never as its owner.

import type { Result } from "../../../../base/result.ts";
import type { RunStatus } from "../../../../contract/runs/run.ts";
import type { SaveState } from "../../../../contract/workspaces/workers/worker.ts";

/** `why` is one line for the model: what was refused, and what to do. */
export type DeskRefusal = { readonly why: string };

export type WorkerTask = {
  readonly message: string;
  /** The copy to work in. Null: a new one. */
  readonly copyId: string | null;
  /** The revision that the new copy is of. Null: the accepted one. */
  readonly baseRevisionId: string | null;
  /** A member. Null: the manager itself. */
  readonly agentId: string | null;
};

export type StartedWorkerRun = { readonly workerId: string; readonly copyId: string; readonly runId: string };

export type WorkerReport = {
  readonly workerId: string;
  readonly runStatus: RunStatus;
  readonly saveState: SaveState;
  readonly savedRevisionId: string | null;
  readonly saveError: string | null;
  /** The last that it said. */
  readonly reply: string;
};

type ProposedWork = {
  /** Merged in turn, where there are several. */
  readonly revisionIds: readonly string[];
  readonly title: string;
  readonly summary: string;
};

/** `conflicts` are the paths at which it and the accepted revision differ in ways that its owner has to settle. */
export type Proposal = {
  readonly changesetId: string;
  readonly revisionId: string;
  readonly files: number;
  readonly conflicts: readonly string[];
};

/**
 * `call` is the place of a call in the run. Made again by the run's next worker, the call finds what it has made before. Null: it is made
 * once.
 */
export interface ManagerDesk {
  /** Proposes the work of workers as one changeset, which the owner accepts. Refused where two of them conflict. */
  createChangeset(
    work: ProposedWork,
    call: string | null,
    signal: AbortSignal,
  ): Promise<Result<Proposal, DeskRefusal>>;
  /** Of a revision; null: of the accepted one. */
  createCopy(
    baseRevisionId: string | null,
    call: string | null,
  ): Promise<Result<{ readonly copyId: string }, DeskRefusal>>;
  /** A child of the run, in the task group of the run, which is made with the first worker. */
  startWorker(task: WorkerTask, call: string | null): Promise<Result<StartedWorkerRun, DeskRefusal>>;
  /** Resolves once they have ended and what they changed is saved, or can not be. Rejects with the signal's reason. */
  awaitWorkers(
    workerIds: readonly string[],
    signal: AbortSignal,
  ): Promise<Result<readonly WorkerReport[], DeskRefusal>>;
}
