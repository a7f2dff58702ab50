// A job as GitHub plans it: its event, what its tokens claim, and what its runner gives a step.

import type { Claims } from "../issuer/claims.ts";
import { publishPullHead, resolveCommit } from "./contents.ts";
import { type JobFiles, jobEnvironment, pullRefs, writeJobFiles } from "./environment.ts";
import {
  type CodeHostEvent,
  type EventContext,
  eventPayload,
  isOnMergeCommit,
  type Payload,
  pullRequest,
} from "./event.ts";
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
  /** What was done, where it is not the usual. */
  readonly action?: string;
  readonly label?: string;
  readonly threadAuthor?: { readonly login: string; readonly id: string };
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

export type PlannedJob = {
  /** All that the job says in its ID tokens, beside `jti`, `aud` and the times. */
  readonly claims: Claims;
  /** What the runner sets for a step. No PATH, no HOME, no INPUT_*: add those yourself. */
  readonly env: Readonly<Record<string, string>>;
  readonly payload: Payload;
  /** The pull request as the REST API has it. */
  readonly pullRequest: Payload;
  readonly files: JobFiles;
};

export async function planJob(plan: JobPlan): Promise<PlannedJob> {
  const context = await eventContext(plan);
  const payload = { ...eventPayload(context), ...plan.options.payload };
  const files = await writeJobFiles(plan, payload);
  const { number, headSha } = context.pullRequest;
  if (isOnPull(context)) await publishPullHead(plan.repository.path, { number, sha: headSha });
  return {
    claims: jobClaims(plan, context),
    env: jobEnvironment({ plan, context, files }),
    payload,
    pullRequest: pullRequest(context),
    files,
  };
}

function isOnPull({ event, isIssue }: EventContext): boolean {
  return event.startsWith("pull_request") || (event === "issue_comment" && !isIssue);
}

async function eventContext(plan: JobPlan): Promise<EventContext> {
  const { options, repository, serverUrl } = plan;
  const event = options.event ?? "push";
  const resolve = async (ref: string) => (await resolveCommit(repository.path, ref)) ?? null;
  const head = (await resolve("HEAD")) ?? "0".repeat(40);
  const pull = {
    number: 7,
    origin: "branch" as const,
    headRef: "topic",
    baseRef: "main",
    ...options.pullRequest,
  };
  const ref = options.ref ?? (isOnMergeCommit(event) ? `refs/pull/${pull.number}/merge` : "refs/heads/main");
  const sha = options.sha ?? (await resolve(ref)) ?? head;
  const fromDependabot = pull.origin === "dependabot" && event.startsWith("pull_request");
  return {
    event,
    serverUrl,
    repository,
    actor: options.actor ?? (fromDependabot ? "dependabot[bot]" : "octocat"),
    actorId: options.actorId ?? (fromDependabot ? "49699333" : "12"),
    ref,
    sha,
    beforeSha: options.beforeSha ?? (await resolve(`${sha}^`)) ?? "0".repeat(40),
    pullRequest: {
      title: "Change something",
      body: "",
      headSha: (await resolve(`refs/heads/${pull.headRef}`)) ?? sha,
      baseSha: (await resolve(`refs/heads/${pull.baseRef}`)) ?? head,
      ...pull,
    },
    comment: options.comment ?? "/agent",
    isIssue: options.isIssue ?? false,
    action: options.action ?? null,
    label: options.label ?? "agent",
    threadAuthor: options.threadAuthor ?? null,
    workflowPath: ".github/workflows/agent.yml",
  };
}

function jobClaims(plan: JobPlan, context: EventContext): Claims {
  const { options, repository } = plan;
  return {
    repository: repository.fullName,
    repository_id: repository.id,
    repository_owner_id: repository.ownerId,
    repository_visibility: repository.visibility,
    event_name: context.event,
    ref: context.ref,
    sha: context.sha,
    ...pullRefs(context),
    actor: context.actor,
    actor_id: context.actorId,
    run_id: options.runId ?? "1296269001",
    run_number: options.runNumber ?? "10",
    run_attempt: options.runAttempt ?? "1",
    workflow: options.workflow ?? "agent",
    ...options.claims,
  };
}
