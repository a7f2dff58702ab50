// What a test says about a job: its event, its token's permissions, its place in the workflow. Types only.

import type { Claims } from "../issuer/claims.ts";
import type { CodeHostEvent, EventContext, Payload } from "./event.ts";
import type { JobPermissions } from "./permission.ts";

export type JobOptions = {
  /** `owner/name`; the code host's first repository unless told. */
  readonly repository?: string;
  /** "push" unless told. */
  readonly event?: CodeHostEvent;
  readonly ref?: string;
  /** The commit that `ref` names in the repository, else its HEAD, unless told. */
  readonly sha?: string;
  readonly beforeSha?: string;
  readonly actor?: string;
  readonly actorId?: string;
  readonly pullRequest?: Partial<EventContext["pullRequest"]>;
  /** The text of a comment or a review. */
  readonly comment?: string;
  /** Comments are on a pull request unless told. */
  readonly isIssue?: boolean;
  /** The payload's action, where it is not the event's usual one. */
  readonly action?: string;
  readonly label?: string;
  readonly openedBy?: { readonly login: string; readonly id: string };
  readonly runId?: string;
  readonly runNumber?: string;
  readonly runAttempt?: string;
  /** The job's key in its workflow. */
  readonly job?: string;
  /** The step's id, GITHUB_ACTION. */
  readonly step?: string;
  readonly workflow?: string;
  /** Whether the job has `id-token: write`. A fork's or Dependabot's pull request has not, unless told. */
  readonly idToken?: boolean;
  /** What the job's token may do: everything unless told. */
  readonly permissions?: JobPermissions;
  /** Claims of the job's ID tokens, replaced or (`undefined`) left out. */
  readonly claims?: Claims;
  /** Fields of the event's payload, replaced. */
  readonly payload?: Payload;
  /** More environment; wins over the runner's. */
  readonly env?: Readonly<Record<string, string>>;
};

export type JobPlan = {
  readonly serverUrl: string;
  readonly repository: EventContext["repository"] & { readonly path: string };
  /** A folder of this job's own, empty. */
  readonly directory: string;
  readonly idTokenUrl: string;
  readonly idTokenRequestToken: string;
  readonly options: JobOptions;
};
