// Submissions, their results, and the input of the transaction that admits one. Pure.

import type { Unkeyed } from "../../../contract/fields.ts";
import type { RunOrigin } from "../../../contract/runs/run.ts";
import type { ForkRunRequest, Message, SubmitRunRequest } from "../../../contract/runs/run-requests.ts";
import type { Caller } from "../accounts/caller.ts";
import type { PullRequestHead, RunSource } from "../commits/run-commit.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { RemoteHead } from "../repository-access/remotes.ts";
import type { CancelledRuns } from "./end-run.ts";
import type { KeySlot } from "./keys-in-flight.ts";
import type { RunWorkspace, WorkflowExecution } from "./run-record.ts";

export type Submitted = {
  readonly runId: string;
  readonly sessionId: string;
  /** True when the same key made this run before. */
  readonly isReplay: boolean;
  /** Of a new run: who pays for it. */
  readonly billingAccount?: string;
  /** The session had a parked run: this one, which goes on after this `seq`. */
  readonly continuedAfter?: number;
  /** Runs that ended with it: the session's parked one, where it was not given what it waited for. */
  readonly alsoEnded?: CancelledRuns;
};

export type Submission = {
  readonly caller: Caller;
  readonly agentId: string;
  readonly body: Unkeyed<SubmitRunRequest>;
  readonly idempotencyKey: string | null;
  /** Default: "user". */
  readonly origin?: RunOrigin;
  /** The workflow that the message was made from. The key then holds for the workflow and its input, whichever version is active. */
  readonly workflow?: WorkflowExecution;
  /** Somebody reads it who can answer, though no key names its session: it may end with a question. */
  readonly canBeAnswered?: boolean;
  /** Its place in a workspace. Its row beside the run is written `alongside`. */
  readonly workspace?: RunWorkspace;
  /** The run that delegates it: it ends with that one at the latest, and counts towards no plan's concurrent runs. */
  readonly parent?: { readonly runId: string; readonly fence: number };
  /** Another run's turn, at which it begins. Its journal is begun `alongside`. */
  readonly fork?: RunFork;
  /** Further writes of the transaction that makes the run. A throw undoes all of it and is rethrown. */
  readonly alongside?: (
    tx: StoreTransaction,
    run: Pick<Submitted, "runId" | "sessionId" | "continuedAfter">,
  ) => Promise<void>;
};

export type RunFork = {
  readonly runId: string;
  readonly turn: number;
  /** What it works on. */
  readonly source: RunSource;
  /** As it was asked for: repetitions of a request are compared by this alone, for what it works on may be gone by then. */
  readonly asked: Unkeyed<ForkRunRequest>;
  /** In place of the agent's. Null: the agent's. */
  readonly model: string | null;
  /** Null: nothing is said. */
  readonly message: string | null;
};

export type AdmissionRequest = Omit<Submission, "idempotencyKey"> & {
  readonly messages: readonly Message[];
  readonly key: string | null;
  readonly slot: KeySlot;
  readonly pullRequest: PullRequestHead | null;
  readonly traceparent: string | undefined;
  /** The head that the code host has said. Absent until it is asked. */
  readonly remoteHead?: RemoteHead;
  /** Whether a TransactionNeededError is thrown before any write but the last. */
  readonly isOneWrite?: boolean;
};
