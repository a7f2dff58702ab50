// What carries a run out once its workspace is there. One file a backend under backends/.

import type { Message } from "../../contract/run.ts";
import type { RunEvent } from "../../contract/run-event.ts";
import type { Workspace } from "../core/ports/workspace.ts";

export type BackendUsage = {
  /** Model tokens, in and out. */
  readonly tokens: number;
  /** Model calls. */
  readonly calls: number;
};

export type BackendOutcome = { readonly stopReason: "end_turn" | "max_tokens"; readonly usage: BackendUsage };

export type BackendTask = {
  readonly runId: string;
  readonly messages: readonly Message[];
  /** Tokens that this turn may use; 0 means the backend's default. */
  readonly maxTurnTokens: number;
  /** Aborts on cancel, time limit, shutdown or a lost lease. A backend stops promptly and rejects with its reason. */
  readonly signal: AbortSignal;
  /**
   * Appends an event to the run's durable stream. RUN_STARTED, RUN_FINISHED, RUN_ERROR and `quota` are the
   * executor's. Resolves when there is room for more; events of one run keep their order.
   */
  emit(event: RunEvent): Promise<void>;
  /** A fresh id for a message or tool call, unique in the run. */
  nextId(kind: "message" | "call"): string;
};

/** A task on a repository at a commit. */
export type RepositoryTask = BackendTask & {
  /** `owner/name`. */
  readonly repository: string;
  readonly sha: string;
  readonly ref: string;
  readonly event: string;
  readonly baseRef: string | null;
};

export type Backend =
  | {
      readonly name: string;
      readonly needsWorkspace: true;
      run(task: RepositoryTask, workspace: Workspace): Promise<BackendOutcome>;
    }
  | {
      readonly name: string;
      readonly needsWorkspace: false;
      run(task: BackendTask): Promise<BackendOutcome>;
    };
