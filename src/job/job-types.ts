// The parts of a job for the recipe of run-job.ts: settings, a task, a service, a log. Types only.

import type { CiJob } from "../ci/provider.ts";
import type { SubmitRunRequest } from "../contract/runs/run-requests.ts";
import type { RenewedAccess } from "../federation/federated-access.ts";
import type { Attestation } from "../report/attestation.ts";
import type { FailOn } from "../report/conclusion.ts";
import type { Delivery } from "../report/delivery.ts";
import type { PublishedFindings, Severity } from "../report/findings.ts";
import type { WrittenOutputs } from "../report/written-outputs.ts";
import type { TokenSource } from "./capability.ts";
import type { Outcome } from "./conclusion.ts";
import type { FollowLog } from "./follow-log.ts";
import type { CloneMode } from "./job-settings.ts";

/** Types that an implementation adds to the recipe's own: its settings, its plan, its log. */
export type JobTypes = {
  readonly settings: JobSettings;
  readonly plan: JobPlan;
  readonly log: JobLog;
};

export type JobSettings = {
  /** False: the run goes on without the job. */
  readonly wait: boolean;
  readonly onCancel: "cancel" | "detach";
  readonly timeoutMs: number;
  /** The time that a run which has begun may be silent. Null: without a limit. */
  readonly idleMs: number | null;
  readonly failOn: FailOn;
  /** The least severe finding that makes the conclusion a failure. Null: none does. */
  readonly failOnSeverity: Severity | null;
  /** How a service gets the commit: "auto", the job sends that of a repository that is not public; "push", of any. */
  readonly clone: CloneMode;
};

/** Decided before a service is in reach. */
export type JobPlan = {
  readonly task: Task;
  /** The phrase of comments that go on with the run's session; null where no comments do. */
  readonly threadPhrase: string | null;
};

/** Limits at which a parked run goes on only where they are raised. */
export const raisableLimits = ["max_cost", "max_tokens"] as const;
export type RaisableLimit = (typeof raisableLimits)[number];

/** The task of the job at the service. */
export type Task =
  /** `job` is null where no CI provider started the process: each submission is then a new run. */
  | {
      readonly type: "run";
      readonly body: SubmitRunRequest;
      readonly job: CiJob | null;
      /** The leg of the job's matrix: part of the idempotency key. */
      readonly matrix: string;
      /** It is to go on with the parked run of its session, and raises these limits. Null: it makes a request of its own. */
      readonly continues: readonly RaisableLimit[] | null;
    }
  /** To follow a run that another step or job has started. */
  | { readonly type: "attach"; readonly runId: string }
  | { readonly type: "cancel"; readonly target: CancelTarget }
  /** Nothing: the outcome is known without a service. */
  | { readonly type: "none"; readonly outcome: Outcome };

export type CancelTarget =
  | { readonly type: "run"; readonly runId: string }
  | { readonly type: "session"; readonly sessionKey: string };

export type JobLog = FollowLog & {
  /** Closes the events file. Safe to repeat. */
  close(): Promise<void>;
};

/** The address of the service, and who proves to it who this job is. Base URLs are without a trailing slash. */
export type JobService =
  | {
      readonly type: "remote";
      readonly baseUrl: string;
      readonly tokens: TokenSource;
      readonly audience: string;
      readonly account: string | null;
      /** The job's commit, for a provider whose tokens may name none; "" where nothing says it. */
      readonly sha: string;
      /** What the service reaches by the repository's own account; null: the service has models of its own. */
      readonly model: HandedModel | null;
      /** MCP servers that the job gets access tokens for. */
      readonly servers: readonly HandedServer[];
    }
  | {
      /** It lives in this process and ends with the job. */
      readonly type: "embedded";
      readonly baseUrl: string;
      readonly tokens: TokenSource;
      /** By whose account it reaches its model; null: by a key, or it has none. */
      readonly modelAccess: RenewedAccess | null;
      /** What to tell people where the agent cannot see what the job is about; null where it can. */
      readonly changeNotice: string | null;
      /** How the job's users configure a model. */
      readonly modelAdvice: string;
      /** Safe to repeat. */
      close(): Promise<void>;
    };

/** A model of a run that the job's own account pays for. */
export type HandedModel = { readonly name: string; readonly access: RenewedAccess };

/** An MCP server whose access token the job brings. */
export type HandedServer = {
  readonly name: string;
  readonly access: Pick<RenewedAccess, "current" | "renewalInMs">;
};

/** The deliveries of a completed run's changes and findings; null where nobody was to publish them. */
export type HandedOver = {
  readonly delivery: Delivery | null;
  /** What came of the statement about the pushed commit; null where nobody asked for one, or nothing was pushed. */
  readonly attestation: Attestation | null;
  readonly findings: PublishedFindings | null;
  /** What was written for the run's typed outputs; null where the job declares none. */
  readonly outputs: WrittenOutputs | null;
};
