// What carries a run out once its checkout is there. One file a backend under backends/.

import type { Message } from "../../contract/runs/run.ts";
import type { RunEvent } from "../../contract/runs/run-event.ts";
import type { Checkout } from "../core/ports/checkout.ts";
import type { ChildOutcome, ChildTask } from "./child-runs.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** Why a run that did its work stopped: it was done, or a bound of the request, the agent or the billing account was reached. */
export type StopReason = "end_turn" | "max_tokens" | "max_turns" | "credits";

/** A backend that could not do its work. The message is for whoever reads the run: what, why, what to do. No secrets. */
export class BackendFailure extends Error {
  override readonly name = "BackendFailure";
  readonly isRetryable: boolean;
  /** What was asked for could not be had: its billing account pays, as for a run that did its work. */
  readonly isCharged: boolean;

  /** A backend that is loaded from a bundle of its own has a copy of this class: the name tells. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "BackendFailure";
  }

  constructor(message: string, options: { isRetryable: boolean; isCharged?: true; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isRetryable = options.isRetryable;
    this.isCharged = options.isCharged ?? false;
  }
}

export type BackendOutcome = { readonly stopReason: StopReason };

export type BackendTask = {
  readonly runId: string;
  readonly messages: readonly Message[];
  /** The agent's model slug; null: the router's default. */
  readonly model: string | null;
  /** Micro-USD that the advisor may cost in this run; 0 stops it, null is no cap. */
  readonly advisorMaxSpendMicroUsd: number | null;
  /** The JSON Schema that the reply has to fit; null where any reply will do. */
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  readonly carriedState: CarriedState;
  /** Tokens that this turn may use; 0 means the backend's default. */
  readonly maxTurnTokens: number;
  /** Aborts on cancel, time limit, shutdown or a lost lease. A backend stops promptly and rejects with its reason. */
  readonly signal: AbortSignal;
  /** Where the run is in its trace, to be sent along with a request as W3C's `traceparent`. Null when not followed. */
  traceparent(): string | null;
  /**
   * Appends an event to the run's durable stream. RUN_STARTED, RUN_FINISHED, RUN_ERROR and `quota` are the
   * executor's. Resolves when there is room for more; events of one run keep their order.
   */
  emit(event: RunEvent): Promise<void>;
  /**
   * What was said in the session before: the messages and answers of its earlier runs, oldest first, about
   * `maxChars` characters at most.
   */
  history(maxChars: number): Promise<readonly Message[]>;
  /** How many generations of child runs may be below this one; 0: it has to do its task itself. */
  readonly generationsLeft: number;
  /** Hands a task to a child run of the same agent and waits for it. The child ends with this run at the latest. */
  delegate(task: ChildTask): Promise<ChildOutcome>;
  /** What model calls cost: each is reserved before and counted after. */
  readonly meter: UsageMeter;
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

/**
 * What the session's last run left changed: "fresh" where that was nothing, "restored" where the tree holds it again,
 * "lost" where it does not apply to this commit any more.
 */
export type CarriedState =
  | { readonly state: "fresh" }
  | { readonly state: "restored" }
  | { readonly state: "lost"; readonly paths: readonly string[] };

/** A task of an agent that has no repository. Its checkout is one without files. */
export type BareTask = BackendTask & { readonly repository: null };

export type Backend =
  | {
      readonly name: string;
      readonly needsCheckout: true;
      /** What it changes in the tree is reported, kept, and there again when the session goes on. */
      readonly changesCheckout?: true;
      /** The longest that what it started may go on in the checkout after the signal: 30 s unless told. */
      readonly stopsWithinMs?: number;
      run(task: RepositoryTask | BareTask, checkout: Checkout): Promise<BackendOutcome>;
    }
  | {
      readonly name: string;
      readonly needsCheckout: false;
      run(task: BackendTask): Promise<BackendOutcome>;
    };
