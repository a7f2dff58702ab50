// The progress of a job: one phase after the other, each with the values that are known from then on. Types only.

import type { JobClient } from "../client/job-client.ts";
import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import type { JobCapability } from "./capability.ts";
import type { JobService, JobTypes } from "./job-types.ts";

/** A run of the service that this job has started or found. */
export type JobRun = {
  readonly id: string;
  readonly sessionId: string;
  /** Its page, or else `apiUrl`. Null where nobody can follow it there: the service ends with the job. */
  readonly url: string | null;
  /** Its events, for the API. Null as `url` is. */
  readonly apiUrl: string | null;
  /** Whether an earlier step, job or attempt had started it. */
  readonly attached: boolean;
  /** It was parked, and goes on for this job: the `seq` of its last event before. Null for every other. */
  readonly continuedAfter: number | null;
};

type WithSettings<Own extends JobTypes> = { readonly settings: Own["settings"] };
type WithPlan<Own extends JobTypes> = WithSettings<Own> & { readonly plan: Own["plan"] };
type WithService<Own extends JobTypes> = WithPlan<Own> & { readonly service: JobService };
type WithGrant<Own extends JobTypes> = WithService<Own> & {
  readonly client: JobClient;
  /** The latest: a long run outlives its first capability. */
  readonly grant: ExchangeResponse;
  /** Asks for another one. */
  readonly exchange: JobCapability["grant"];
};
type WithRun<Own extends JobTypes> = WithGrant<Own> & { readonly run: JobRun };
type WithLog<Own extends JobTypes> = WithRun<Own> & { readonly log: Own["log"] };

/** The settings are not read, or wrong. */
type Starting = { readonly phase: "starting" };
/** It is not known whether the event may start a run, nor what to do. */
export type Configured<Own extends JobTypes> = WithSettings<Own> & { readonly phase: "configured" };
/** The plan is known; no service is in reach. */
export type AdmittedJob<Own extends JobTypes> = WithPlan<Own> & { readonly phase: "admitted" };
/** The service has not yet granted a capability. */
export type Connecting<Own extends JobTypes> = WithService<Own> & { readonly phase: "connecting" };
export type GrantedJob<Own extends JobTypes> = WithGrant<Own> & { readonly phase: "granted" };
/** The submission was sent and not answered: there may be a run. */
type Submitting<Own extends JobTypes> = WithGrant<Own> & { readonly phase: "submitting" };
export type SubmittedJob<Own extends JobTypes> = WithRun<Own> & { readonly phase: "submitted" };
/** The run's events are read, or have been. */
export type Following<Own extends JobTypes> = WithLog<Own> & { readonly phase: "following" };

export type Progress<Own extends JobTypes = JobTypes> =
  | Starting
  | Configured<Own>
  | AdmittedJob<Own>
  | Connecting<Own>
  | GrantedJob<Own>
  | Submitting<Own>
  | SubmittedJob<Own>
  | Following<Own>;
