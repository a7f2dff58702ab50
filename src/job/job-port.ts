// The port between the recipe of run-job.ts and a job's surroundings. The Action and `agent-service run` implement it. Types
// only.

import type { Clock } from "../base/clock.ts";
import type { Transport } from "../client/transport.ts";
import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import type { Run } from "../contract/runs/run.ts";
import type { Delivery } from "../report/delivery.ts";
import type { Ending } from "./ending.ts";
import type { CommitPlace } from "./git/commit-place.ts";
import type { HandedOver, JobService, JobTypes } from "./job-types.ts";
import type { JobWords } from "./job-words.ts";
import type { AdmittedJob, Configured, Following, GrantedJob, Progress, SubmittedJob } from "./progress.ts";
import type { Interrupts } from "./signals.ts";

/** One place that is told of the ending: "outputs", "summary". A failure is warned of and changes no conclusion. */
export type Publication = { readonly what: string; write(): Promise<void> };

/** The port once the work has ended. Methods are called in this order. */
export interface ConcludingPort<Own extends JobTypes> {
  /** Publishes what a completed run found and changed. */
  handOver(following: Following<Own>, run: Run): Promise<HandedOver>;
  /** The delivery of the changes of a run that was cut, which nothing publishes; null where there are none to push. */
  withhold(following: Following<Own>): Delivery | null;
  /** Written one after the other. */
  publications(ending: Ending<Own>): readonly Publication[];
  /** The last words in the log. */
  sayEnding(ending: Ending<Own>): void;
}

/** Methods are called in this order, each at most once unless it says otherwise. */
export interface JobPort<Own extends JobTypes> {
  readonly clock: Clock;
  readonly interrupts: Interrupts;
  readonly transport: Transport;
  readonly userAgent: string;
  /** Why nobody can claim this repository's agent; null where somebody can. */
  readonly claimObstacle: string | null;
  readonly words: JobWords;

  /** Rejects with StepError for wrong settings. */
  readSettings(): Promise<Own["settings"]>;
  /** Decides whether this event may start something, and what. Rejects with StepError where it may not. */
  planJob(configured: Configured<Own>): Promise<Own["plan"]>;
  openService(admitted: AdmittedJob<Own>): Promise<JobService>;
  /** Hides a value in the job's log from here on. Called for each token. */
  setSecret(secret: string): void;
  /** Called for each capability, the first one too. */
  keepGrant(grant: ExchangeResponse, progress: Progress<Own>): void;
  /** Where the run's commit is found, for a service that cannot clone it. */
  commitPlace(granted: GrantedJob<Own>): Promise<CommitPlace>;
  /** Names the run before anything can fail. */
  announce(submitted: SubmittedJob<Own>): void;
  /** Keeps what a later step of the job needs of the run. Called as soon as it is known, and again with its page. */
  keepRun(submitted: SubmittedJob<Own>): void;
  openLog(submitted: SubmittedJob<Own>): Promise<Own["log"]>;
  /** Called when the work has ended, however it did. */
  conclude(): Promise<ConcludingPort<Own>>;

  /** One line for whoever reads the log. Both may be called at any time. */
  note(text: string): void;
  warn(text: string): void;
}
