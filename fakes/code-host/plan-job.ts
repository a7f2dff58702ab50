// A job as GitHub plans it: its event, what its tokens claim, and what its runner gives a step.

import type { Claims } from "../issuer/claims.ts";
import { publishPullHead, resolveCommits } from "./contents.ts";
import { type JobFiles, jobEnvironment, pullRefs, writeJobFiles } from "./environment.ts";
import { type EventContext, eventPayload, isOnMergeCommit, type Payload, pullRequest } from "./event.ts";
import type { JobPlan } from "./job.ts";

/** GitHub's name of no commit. */
const NONE = "0".repeat(40);

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
  const pull = {
    number: 7,
    origin: "branch" as const,
    headRef: "topic",
    baseRef: "main",
    ...options.pullRequest,
  };
  const ref = options.ref ?? (isOnMergeCommit(event) ? `refs/pull/${pull.number}/merge` : "refs/heads/main");
  const ofPull = [pull.headRef, pull.baseRef].map((branch) => `refs/heads/${branch}`);
  const wanted = ["HEAD", "HEAD^", ref, `${options.sha ?? ref}^`, ...ofPull];
  const found = await resolveCommits(repository.path, wanted);
  const [atHead, beforeHead, atRef, before, pullHead, pullBase] = found;
  const head = atHead ?? NONE;
  const sha = options.sha ?? atRef ?? head;
  const fromDependabot = pull.origin === "dependabot" && event.startsWith("pull_request");
  return {
    event,
    serverUrl,
    repository,
    actor: options.actor ?? (fromDependabot ? "dependabot[bot]" : "octocat"),
    actorId: options.actorId ?? (fromDependabot ? "49699333" : "12"),
    ref,
    sha,
    beforeSha: options.beforeSha ?? before ?? (sha === head ? beforeHead : null) ?? NONE,
    pullRequest: {
      title: "Change something",
      body: "",
      headSha: pullHead ?? sha,
      baseSha: pullBase ?? head,
      ...pull,
    },
    comment: options.comment ?? "/agent",
    isIssue: options.isIssue ?? false,
    action: options.action ?? null,
    label: options.label ?? "agent",
    openedBy: options.openedBy ?? null,
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
