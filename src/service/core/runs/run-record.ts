// A run, its input and its events as they are stored. Times are milliseconds since the epoch, money is micro-USD. Pure.

import type { EgressEntries } from "../../../contract/egress.ts";
import type { SubjectType } from "../../../contract/runs/about.ts";
import type { ChecksState } from "../../../contract/runs/checks.ts";
import type { DeliveryReport } from "../../../contract/runs/delivery.ts";
import type { McpServersRequest } from "../../../contract/runs/mcp-servers.ts";
import type {
  CommitOrigin,
  ModelBilling,
  ParkReason,
  RunCause,
  RunOrigin,
  RunStatus,
  TerminalRunStatus,
} from "../../../contract/runs/run.ts";
import type { Message } from "../../../contract/runs/run-requests.ts";
import type { TypedOutputs } from "../../../contract/runs/typed-outputs.ts";
import type { RunSource } from "../commits/run-commit.ts";
import type { RunModelAccess } from "../model-access/kept-access.ts";
import type { RunServerAccess } from "../model-access/kept-server-access.ts";
import type { RunPrice } from "../money/run-price.ts";
import type { ProviderFailure } from "./failure.ts";
import type { Usage } from "./usage.ts";

/** The execution of a workflow that a run is. */
export type WorkflowExecution = {
  readonly id: string;
  /** The version whose prompt the run's message begins with. */
  readonly version: number;
  /** The text after the prompt; null where there is none. */
  readonly input: string | null;
};

/** The part of it that is shown, also when the run's input is deleted. */
export type ShownCommit = { readonly from: CommitOrigin; readonly sha: string; readonly ref: string };

/** `models`: those of the attempts, in turn; empty: the agent's for each. */
export type BestOf = { readonly attempts: number; readonly models: readonly string[] };

/** A run that is one of several attempts of its parent, or the judge of them. */
export const raceRoles = ["attempt", "judge"] as const;
export type RaceRole = (typeof raceRoles)[number];

/** The place in a workspace where a run works. */
export type RunWorkspace = {
  readonly workspaceId: string;
  /** The copy that it alone writes in. Null: it has the accepted files, and what it changes of them stays in its session. */
  readonly copyId: string | null;
  readonly taskGroupId: string | null;
  /** The worker that it is. */
  readonly workerId: string | null;
};

/** A run's messages and what it works on. Read once, when it starts. */
export type RunInput = RunSource & {
  readonly messages: readonly Message[];
  readonly maxTurnTokens: number;
  /** The cap of the cost of the models of the run and its children. Absent: no limit. */
  readonly maxCostMicroUsd?: number;
  /** The owner's cap a day leaves less than it asks for, in all: null where it names no limit. */
  readonly dayCap?: { readonly askedMicroUsd: number | null };
  /** The time after its submission within which it should be done. Absent: the service's time limit alone holds. */
  readonly timeLimitMs?: number;
  /** Its session goes on with whoever asks there again: a key names it, or the run answers a question. */
  readonly hasThread?: true;
  /** It is parked where it would end for something that can still be given. */
  readonly mayPark?: true;
  /** The time at work that counts towards no limit: before somebody continued it. */
  readonly uncountedMs?: number;
  /** As it was parked, where it goes on by itself. Absent where somebody has continued it, and before it was parked. */
  readonly retried?: ParkedState;
  /** Another run's turn, at which it begins: its journal has that run's entries before it. */
  readonly forkOf?: { readonly runId: string; readonly turn: number };
  /** The model that it asks in place of its agent's. */
  readonly model?: string;
  /** It makes several attempts. */
  readonly bestOf?: BestOf;
  /** What it is for its parent. Absent: it has none, or that one has delegated a task to it. */
  readonly raceRole?: RaceRole;
  /** The JSON Schema that the reply has to match. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** The script that prepares the environment; null: none. Absent: the default one, where it exists. */
  readonly setup?: string | null;
  readonly workflow?: WorkflowExecution;
  readonly modelAccess?: RunModelAccess;
  /** Network access that it asks for. Absent: it names nothing, and has its agent's policy. */
  readonly egress?: EgressEntries;
  /** MCP servers that it names, beside the operator's. */
  readonly mcpServers?: McpServersRequest;
  /** Access tokens for some of them, which its job brought. */
  readonly mcpAccess?: RunServerAccess;
  /** What it may ask its job to write. */
  readonly outputs?: TypedOutputs;
  /** Absent: it works in no workspace. */
  readonly workspace?: RunWorkspace;
  /** The span of the submission as a W3C `traceparent`, where it was traced. */
  readonly traceparent?: string;
};

/** `failure` is how the run ends where nobody continues it. */
export type ParkedFor =
  | { readonly reason: Exclude<ParkReason, "provider_unavailable"> }
  | {
      readonly reason: "provider_unavailable";
      readonly failure: { readonly reason: ProviderFailure; readonly message: string };
    };

/** A run that nobody works on until somebody continues it. Its `stopReason` is the reason. */
export type ParkedState = ParkedFor & {
  readonly since: number;
  /** It ends then. */
  readonly until: number;
  /** What it has used so far, and the time at work. */
  readonly usage: Usage;
  readonly workedMs: number;
  /** When it is tried again by itself, at the earliest. Absent: somebody has to continue it. */
  readonly nextTryAt?: number;
  /** Tries in a row that had no answer. Absent: none. */
  readonly tries?: number;
  /** As far as it has come. Absent where nothing was changed or checked. */
  readonly checks?: ChecksState;
};

/** Who asked for a run, and where: what a field lacks, nobody has said. */
export type ShownAbout = {
  readonly actor?: string;
  /** The person of the account who started it. */
  readonly personId?: string;
  readonly event?: string;
  readonly provider?: string;
  readonly repository?: string;
  readonly cloneUrl?: string;
  readonly ref?: string;
  readonly sha?: string;
  readonly subject?: { readonly type: SubjectType; readonly number: number };
};

/** `by` is the attempt of the CI job that has reported. */
export type RunDelivery =
  | { readonly state: "expected" }
  | {
      readonly state: "reported";
      readonly at: number;
      readonly by: string;
      readonly report: DeliveryReport;
    };

/** A run without its input and its events. */
export type RunRecord = {
  readonly id: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly status: RunStatus;
  readonly origin: RunOrigin;
  readonly parentRunId: string | null;
  /** The ledger's account that pays. */
  readonly billingAccount: string;
  /** Null: the fee of a run. */
  readonly price: RunPrice | null;
  /** Who pays for the tokens of its model. Null: its billing account, by the service's prices. */
  readonly modelBilling: ModelBilling | null;
  readonly holdMicroUsd: number;
  readonly submittedAt: number;
  readonly startedAt: number | null;
  readonly heartbeatAt: number | null;
  readonly endedAt: number | null;
  readonly cause: RunCause | null;
  readonly retryable: boolean;
  readonly stopReason: string | null;
  /** Null until the run has ended. */
  readonly usage: Usage | null;
  readonly grossMicroUsd: number;
  readonly refundedMicroUsd: number;
  readonly refundReason: string | null;
  /** Why a failed run was charged whose cause is one that is refunded. */
  readonly refundWithheldReason: string | null;
  /** How its checks ended since its last edit. Null where nothing was changed or checked, and where nobody knows. */
  readonly checks: ChecksState | null;
  /** The `seq` of the newest event; 0 while there is none. */
  readonly lastSeq: number;
  /** Counts the workers that took the run: only the latest may write. */
  readonly fence: number;
  /** True once its input and events are deleted, or about to be. Absent before. */
  readonly hasExpired?: true;
  /** Absent where a job says which commit it works on, and where it needs none. */
  readonly commit?: ShownCommit;
  /** The repository that it works on: `github:octo/hello`, as it was called then. Absent where it works on none. */
  readonly repository?: string;
  /**
   * Who started it: `person:<id>` of an account, or whoever started the job that asked for it, by the code host's id, `github:12`. Of a
   * delegated run its parent's. Absent where nobody is known.
   */
  readonly startedBy?: string;
  /** Only of a running one. Absent while a worker has it, or is to have it. */
  readonly parked?: ParkedState;
  /** The first words of what was asked, on one line. Null where they are deleted with its input, or were not kept. */
  readonly request: string | null;
  /** Null: an earlier version made the run. */
  readonly about: ShownAbout | null;
  /** What its job did with its results. Null: no job is to say that. */
  readonly delivery: RunDelivery | null;
};

export type StoredEvent = {
  readonly seq: number;
  readonly at: number;
  /** One event of the contract, as JSON text. */
  readonly json: string;
};

/** Fields that are written to a run when it ends. */
export type RunOutcome = Pick<
  RunRecord,
  | "endedAt"
  | "cause"
  | "retryable"
  | "stopReason"
  | "usage"
  | "grossMicroUsd"
  | "refundedMicroUsd"
  | "refundReason"
  | "refundWithheldReason"
  | "checks"
> & { readonly status: TerminalRunStatus };
