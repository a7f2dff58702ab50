// The port through which the executor runs in workspaces. Its implementation is loaded with the first such run.

import type { Result } from "../../../../base/result.ts";
import type { Checkout, CheckoutRefusal } from "../../checkouts/checkout.ts";
import type { TakenRun } from "../../runs/progress-run.ts";
import type { RunWorkspace } from "../../runs/run-record.ts";
import type { ManagerDesk } from "./desk-port.ts";

export type RunInWorkspace = {
  readonly taken: TakenRun;
  readonly workspace: RunWorkspace;
  /** Whether the run has a journal: another worker finds the files as this one did, to bring the journal's in. */
  readonly hasJournal: boolean;
  readonly earlierFolder: string | undefined;
  /** Of the run. What a stopped run has changed is kept all the same. */
  readonly signal: AbortSignal;
};

/** The files of a run, and what it is told of where it is. */
export type OpenedWorkspace = {
  /**
   * Its `close` keeps what was changed, where that is kept, before the files are removed. By default the run has ended: its copy is
   * given back, and a worker's is saved as a revision.
   */
  readonly checkout: Checkout;
  /** To be called before `close` where the run has not ended. A parked run gives its copy back; one that is given back keeps it. */
  leaves(as: "given_back" | "parked"): void;
  /** To be called when a tool call has ended that may have changed files: what it changed is kept soon. Does not wait for that. */
  callEnded(): void;
  /** Whether the copy keeps what is changed. Otherwise the session carries it, as with a repository. */
  readonly keepsChanges: boolean;
  /** The workspace, the run's part in it, and what its owner has every run told. */
  readonly briefing: string;
  /** Null for a run of another agent than the workspace's manager. */
  readonly desk: ManagerDesk | null;
};

export interface WorkspaceRuns {
  /** Rejects with the signal's reason. */
  open(run: RunInWorkspace): Promise<Result<OpenedWorkspace, CheckoutRefusal>>;
}
