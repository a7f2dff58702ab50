// The port of a backend, which executes a run in its checkout. One folder or file a backend under backends/.

import type { Result } from "../../base/result.ts";
import type { EgressEntries } from "../../contract/egress.ts";
import type { McpServersRequest } from "../../contract/runs/mcp-servers.ts";
import type { RefundWithheldReason, StopReason } from "../../contract/runs/run.ts";
import type { RunEvent } from "../../contract/runs/run-event.ts";
import type { Message } from "../../contract/runs/run-requests.ts";
import type { TypedOutput, TypedOutputs } from "../../contract/runs/typed-outputs.ts";
import type { FederatedAccess } from "../../federation/provider.ts";
import type { Checkout } from "../core/checkouts/checkout.ts";
import type { RunEgress } from "../core/egress/run-egress.ts";
import type { CommandIdentity } from "../core/ports/command-identity.ts";
import type { FailureReason } from "../core/runs/failure.ts";
import type { ManagerDesk } from "../core/workspaces/runs/desk-port.ts";
import type { CallEffect } from "./call-effect.ts";
import type { ChildOutcome, ChildTask } from "./child-runs.ts";
import type { LeftWork, RunJournal } from "./run-journal.ts";
import type { SecretMask } from "./secret-mask.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** The backend could not do its work. The message is shown to the run's reader: what, why, what to do. No secrets. */
export class BackendFailure extends Error {
  override readonly name = "BackendFailure";
  readonly isRetryable: boolean;
  /** Says whose fault it is. */
  readonly reason: FailureReason;
  /** Why it is charged like a completed run. Null: it is refunded. */
  readonly chargedFor: RefundWithheldReason | null;
  /** What the model's provider did, where it is away and the run could go on later, in one sentence. Else null. */
  readonly providerFault: string | null;

  /** Compares names: a backend in a bundle of its own has its own copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "BackendFailure";
  }

  constructor(
    message: string,
    options: {
      reason: FailureReason;
      isRetryable: boolean;
      chargedFor?: RefundWithheldReason;
      providerFault?: string | null;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.reason = options.reason;
    this.isRetryable = options.isRetryable;
    this.chargedFor = options.chargedFor ?? null;
    this.providerFault = options.providerFault ?? null;
  }
}

export type BackendOutcome = { readonly stopReason: StopReason };

/** A model by the access that the run's job brought. */
export type BroughtModel = {
  /** As the provider calls it. */
  readonly model: string;
  /** Its token may be asked for at any time; each that it gave is known to the run's mask. */
  readonly access: FederatedAccess;
};

/** Network access of a run, and the part of its request that it may not have. */
export type TaskNetwork = { readonly egress: RunEgress; readonly withheld: EgressEntries };

/** ID tokens of a run: for whom its commands get them, and the relay at which they ask. */
export type TaskIdentity = { readonly audiences: readonly string[]; readonly commands: CommandIdentity };

/** `limitMs` is the whole of the run's time, `leftMs` what is left of it: 0 or less once it is over. */
export type Deadline = { readonly limitMs: number; leftMs(): number };

/** The MCP servers of a run beside the operator's. */
export type TaskServers = {
  /** Those of its submission. */
  readonly asked: McpServersRequest | null;
  /** Whether its agent's owner lets it use those that the repository itself names. */
  readonly mayUseRepositorys: boolean;
  /** Whether a tool that is not read-only may be called. Asked before each call. */
  authorizeWrite(write: ServerWrite): Promise<ServerWriteVerdict>;
  /** The access token that the run's job brought for a server, read anew for each request; or why there is none. */
  accessToken(server: string): Promise<Result<string, { readonly reason: string }>>;
  /** A connection of the agent's account, where the run may use it; or why not. */
  connection(asked: {
    readonly name: string;
    readonly url: string | null;
  }): Promise<Result<TaskConnection, { readonly reason: string }>>;
};

/** A server in which a person has signed in, and the tokens for it, read anew for each request. */
export type TaskConnection = {
  readonly serverUrl: string;
  /** The authorization server's. */
  readonly issuer: string;
  token(): Promise<Result<string, { readonly reason: string }>>;
  /** Another one after an answer of 401 to this one. */
  renew(refusedToken: string): Promise<Result<string, { readonly reason: string }>>;
};

export type ServerWrite = {
  readonly server: string;
  readonly tool: string;
  /** Who named the server, and whether they named this tool by its whole name. */
  readonly origin: "operator" | "workflow" | "repository";
  readonly isNamed: boolean;
  /** The arguments of the call. */
  readonly input: Readonly<Record<string, unknown>>;
};

/** `approveUrl` is where the agent's owner allows it; null where nobody can, as in one of several attempts. */
type ServerWriteVerdict =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly approveUrl: string | null; readonly isAttempt?: true };

/** The journal of a run: what another worker needs to go on with it. */
export type TaskJournal = Pick<
  RunJournal,
  "left" | "isLeaving" | "isKept" | "keep" | "passOver" | "waitsForRoom" | "giveUp" | "complete"
>;

/** `earlier`: what it has asked for under the workers before. */
export type TaskOutputs = {
  readonly declared: TypedOutputs;
  earlier(): Promise<readonly TypedOutput[]>;
};

export type BackendTask = {
  readonly runId: string;
  readonly messages: readonly Message[];
  /** The agent's model slug; null: the router's default. */
  readonly model: string | null;
  /** The access that the run's job brought: requests go there alone, for that model. Null: the service's own. */
  readonly brought: BroughtModel | null;
  /** Micro-USD that the advisor may cost in this run; 0 stops it, null is no cap. */
  readonly advisorMaxSpendMicroUsd: number | null;
  /** The JSON Schema that the reply has to fit; null where any reply will do. */
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  /** What it may ask its job to write. Null: nothing, or there is no job. */
  readonly outputs: TaskOutputs | null;
  /** Whether it may end with a question: somebody can answer it in the same session. */
  readonly mayAsk: boolean;
  /** Whether it is parked, and not ended, where it lacks what can still be given. */
  readonly mayPark: boolean;
  /** Whether its files are a workspace's: there is no repository then, and yet there are files. */
  readonly isInWorkspace: boolean;
  /** Whether somebody else may have changed its files since its last worker had them. */
  readonly filesMayBeOthers: boolean;
  /** Whether it compares what other runs have done: it has no tools, and no files. */
  readonly isJudge: boolean;
  /** The desk of a workspace's manager. Null for every other run. */
  readonly desk: ManagerDesk | null;
  readonly carriedState: CarriedState;
  readonly environment: RunEnvironment;
  /** Tokens that this turn may use; 0 means the backend's default. */
  readonly maxTurnTokens: number;
  /** When the run should be done; it is stopped at the service's time limit at the latest. */
  readonly deadline: Deadline;
  /** Aborts on cancel, time limit, shutdown or a lost lease. A backend stops promptly and rejects with its reason. */
  readonly signal: AbortSignal;
  /** The run's span as a W3C `traceparent`, to be sent with requests. Null when it is not traced. */
  traceparent(): string | null;
  /**
   * Appends an event to the run's durable stream. RUN_STARTED, RUN_FINISHED, RUN_ERROR and `quota` are the
   * executor's. Resolves when there is room for more. Events of one run keep their order. `effect` is of a TOOL_CALL_RESULT: unless
   * told, the call may have changed files.
   */
  emit(event: RunEvent, effect?: CallEffect): Promise<void>;
  /**
   * Begins a turn, or tells what the last one has used where none follows. That is written with the next entry of the journal, so that
   * no worker tells of a turn that another one repeats.
   */
  beginTurn(turn: number): Promise<void>;
  /**
   * The session so far: messages and answers of its earlier runs, oldest first, about
   * `maxChars` characters at most.
   */
  history(maxChars: number): Promise<readonly Message[]>;
  /** The generations of child runs that this one may have; 0 means that it must do the task itself. */
  readonly generationsLeft: number;
  /** Delegates a task to a child run of the same agent and waits for it. The child ends with this run at the latest. */
  delegate(task: ChildTask): Promise<ChildOutcome>;
  /** To be called once the meter goes on from what another worker has counted: the budget knows its children from then on. */
  resumeChildren(): Promise<void>;
  /** The meter of model calls: each is reserved before and counted after. */
  readonly meter: UsageMeter;
  /** Masks what nothing of the run may show: events, the patch, messages of failures. A backend adds what it alone knows. */
  readonly secrets: SecretMask;
  readonly network: TaskNetwork;
  /** Null, or left out: its commands get no ID tokens. Decided at the first call. */
  identity?(): Promise<TaskIdentity | null>;
  readonly mcp: TaskServers;
  /** Null where the run ends with its worker. */
  readonly journal: TaskJournal | null;
  /** A fresh id for a message or tool call, unique in the run. */
  nextId(kind: "message" | "call"): string;
};

/** The environment that the repository's setup script left for the agent's commands. */
export type RunEnvironment = {
  /** Their home, which stays between them. Null: each has one of its own. */
  readonly home: string | null;
  readonly setup:
    | { readonly state: "none" }
    | { readonly state: "done"; readonly script: string }
    /** `why` is one line, `output` the end of what it wrote. */
    | { readonly state: "failed"; readonly script: string; readonly why: string; readonly output: string };
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

/**
 * The changes of the session's last run: "fresh" where there were none, "restored" where the tree holds them again,
 * "lost" where they do not apply to this commit any more.
 */
export type CarriedState =
  | { readonly state: "fresh" }
  | { readonly state: "restored" }
  | { readonly state: "lost"; readonly paths: readonly string[] };

/** A task of an agent without a repository. Its checkout has no files. */
export type BareTask = BackendTask & { readonly repository: null };

export type Backend =
  | {
      readonly name: string;
      /** Of its settings: nothing of its runs may show them. Default: it has none. */
      readonly secrets?: readonly string[];
      readonly needsCheckout: true;
      /** It executes its agents' runs with `brought`, too. Left out: another backend executes those that have one. */
      readonly takesBroughtModel?: true;
      /** It keeps the run's journal, and goes on with what another worker left there. */
      readonly keepsJournal?: true;
      /** Its runs are stopped where they stand: it keeps a last entry then. It brings the files back by itself. */
      readonly hasNoTurns?: true;
      /** The tokens of a run of this model that names no number. Left out: it makes no attempts. */
      defaultTokens?(task: Pick<BackendTask, "model" | "meter">): number;
      /** Counts what the journal of a run says that it has used, for a run that does not go on. Default: nothing is known. */
      countLeft?(left: LeftWork, meter: UsageMeter): void;
      /** Its changes to the tree are reported, stored, and restored in the session's next run. */
      readonly changesCheckout?: true;
      /** The time that its processes may go on in the checkout after the signal. Default 30 s. */
      readonly stopsWithinMs?: number;
      run(task: RepositoryTask | BareTask, checkout: Checkout): Promise<BackendOutcome>;
    }
  | {
      readonly name: string;
      readonly secrets?: readonly string[];
      readonly needsCheckout: false;
      /** `checkout` is that of a run that works in a workspace's copy, and null for every other. */
      run(task: BackendTask, checkout: Checkout | null): Promise<BackendOutcome>;
    };
