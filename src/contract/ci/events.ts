// The rights of a job by the event that started it, one row an event of each provider. The only such list: who can accept a
// claim, which checkout is trusted, where a prompt file is read and what is refused are all answered here. Why each row is as it
// is: docs/decisions/029-one-table-of-events.md. Pure.

import type { CiProviderName } from "./providers.ts";

export type EventRules = {
  /** Who can cause the event: only somebody who can write to the repository, or anyone. Anyone, where nothing tells. */
  readonly startedBy: "writer" | "anyone";
  /** Whether its job accepts a claim of the repository's agent: a writer, by a workflow of the repository, consents. */
  readonly acceptsClaim: boolean;
  /** Whether writers made the files that its job works on, so that commands may be executed without a sandbox. */
  readonly isTrusted: boolean;
  /**
   * Whether writers made the commit that its token names, whatever its job has checked out: instructions to agents and
   * their configuration are taken from it.
   */
  readonly isCommitTrusted: boolean;
  /** Whether its job reads a prompt file from its checkout; otherwise it is read from the repository at a commit. */
  readonly readsCheckedOutPrompt: boolean;
  /**
   * What the Action asks for before the event starts a run. "nothing": only a writer can cause it. "request": it is about an
   * issue, a pull request, a discussion or a comment, whose author and action are judged. "name": the workflow names it (`allow-events`).
   * The command asks for nothing: a script that calls it has decided.
   */
  readonly asks: "nothing" | "request" | "name";
  /** Whether its commit is always the newest of the default branch. */
  readonly isOnDefaultBranch: boolean;
  /** Whether its jobs are refused unless an operator allows them: an outsider's change can steer their rights. */
  readonly isRefused: boolean;
};

const anyones: EventRules = {
  startedBy: "anyone",
  acceptsClaim: false,
  isTrusted: false,
  isCommitTrusted: false,
  readsCheckedOutPrompt: false,
  asks: "name",
  isOnDefaultBranch: false,
  isRefused: false,
};
/** About an issue, a pull request, a discussion or a comment. */
const request: EventRules = { ...anyones, asks: "request" };
/** A writer causes it. It is trusted with no more than anyone's. */
const untrustedWriters: EventRules = { ...anyones, startedBy: "writer", asks: "nothing" };
/** Only a writer can start it, on files that writers made, by a workflow that the repository holds. */
const writers: EventRules = {
  startedBy: "writer",
  acceptsClaim: true,
  isTrusted: true,
  isCommitTrusted: true,
  readsCheckedOutPrompt: true,
  asks: "nothing",
  isOnDefaultBranch: false,
  isRefused: false,
};
/** A word of the job's environment alone. Claims go by verified tokens, which have other words. */
const writersByEnvironment: EventRules = { ...writers, acceptsClaim: false };
/** A word of tokens alone. What a job is trusted with goes by its environment. */
const writersByToken: EventRules = { ...writers, isTrusted: false, readsCheckedOutPrompt: false };
const refused: EventRules = { ...anyones, isRefused: true };
/**
 * Anyone can start it, and its commit is the newest of the default branch.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
 */
const onDefaultBranch: EventRules = { ...anyones, isCommitTrusted: true, isOnDefaultBranch: true };

/** Every event that has a row. */
export const ciEvents: Readonly<Record<CiProviderName, Readonly<Record<string, EventRules>>>> = {
  github: {
    push: writers,
    schedule: { ...writers, isOnDefaultBranch: true },
    workflow_dispatch: writers,
    repository_dispatch: { ...writers, isOnDefaultBranch: true },
    release: writers,
    delete: { ...writers, isOnDefaultBranch: true },
    // A writer makes the branch or tag, at any commit: that of a fork's pull request too.
    create: { ...writers, isTrusted: false, isCommitTrusted: false, readsCheckedOutPrompt: false },
    // A writer queues the pull request, whose files nobody has merged yet.
    merge_group: untrustedWriters,
    branch_protection_rule: untrustedWriters,
    deployment: untrustedWriters,
    image_version: untrustedWriters,
    page_build: untrustedWriters,
    public: untrustedWriters,
    registry_package: untrustedWriters,
    pull_request: request,
    pull_request_review: request,
    pull_request_review_comment: request,
    issue_comment: { ...onDefaultBranch, asks: "request" },
    issues: { ...onDefaultBranch, asks: "request" },
    discussion: { ...onDefaultBranch, asks: "request" },
    discussion_comment: { ...onDefaultBranch, asks: "request" },
    commit_comment: onDefaultBranch,
    fork: onDefaultBranch,
    watch: onDefaultBranch,
    gollum: onDefaultBranch,
    // Triage is enough, or a bot that reports on anybody's commit.
    check_run: anyones,
    check_suite: anyones,
    deployment_status: anyones,
    label: anyones,
    milestone: anyones,
    status: anyones,
    pull_request_target: { ...refused, asks: "request" },
    workflow_run: refused,
  },
  gitlab: {
    push: writers,
    schedule: writers,
    web: writers,
    webide: writers,
    api: writers,
    pull_request: anyones,
    // Whoever holds the trigger's token chooses its variables.
    trigger: anyones,
    // Another pipeline started it, which may have been anybody's.
    pipeline: anyones,
    parent_pipeline: anyones,
    chat: anyones,
    external: anyones,
  },
  circleci: {
    push: writersByEnvironment,
    // The token does not say what triggered the job.
    pipeline: anyones,
    pull_request: anyones,
  },
  buildkite: {
    schedule: writers,
    // A webhook's build that the environment says is of no pull request. The token does not say that.
    push: writersByEnvironment,
    webhook: anyones,
    pull_request: anyones,
    // A person or a program asked for it, of any commit.
    ui: anyones,
    api: anyones,
    trigger_job: anyones,
    build: anyones,
  },
  bitbucket: {
    push: writersByEnvironment,
    // The only word of its tokens. Bitbucket starts no pipeline for a fork's pull request: each is a writer's.
    pipeline: writersByToken,
    // The environment does not say whose branch it is.
    pull_request: anyones,
  },
};

/**
 * What an action on a pull request asks for. "code": nothing more than its branch, which takes write access to push, or
 * `allow-forks`. "writer": whoever did it has write access, as triage is enough to do it. "name": the workflow names it
 * (`allow-events: pull_request.closed`), as there is nothing to review anew. An action of tomorrow asks for its name.
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request (2026-11-23)
 */
export const pullRequestActions: Readonly<Record<string, "code" | "writer" | "name">> = {
  opened: "code",
  reopened: "code",
  synchronize: "code",
  ready_for_review: "code",
  edited: "writer",
  labeled: "writer",
  assigned: "writer",
  review_requested: "writer",
  auto_merge_disabled: "name",
  auto_merge_enabled: "name",
  closed: "name",
  converted_to_draft: "name",
  demilestoned: "name",
  dequeued: "name",
  enqueued: "name",
  locked: "name",
  milestoned: "name",
  review_request_removed: "name",
  unassigned: "name",
  unlabeled: "name",
  unlocked: "name",
};

/** The needs of an action of a pull request's event. */
export function pullRequestAsks(action: string): "code" | "writer" | "name" {
  return (Object.hasOwn(pullRequestActions, action) ? pullRequestActions[action] : undefined) ?? "name";
}

/** The rights of a job of the event. An event or a provider that has no row is anyone's. */
export function eventRules(provider: string, event: string): EventRules {
  const events = Object.hasOwn(ciEvents, provider) ? ciEvents[provider as CiProviderName] : {};
  return (Object.hasOwn(events, event) ? events[event] : undefined) ?? anyones;
}

/** The events of the provider whose jobs are refused unless an operator allows them. */
export function refusedEvents(provider: CiProviderName): readonly string[] {
  return Object.entries(ciEvents[provider]).flatMap(([event, { isRefused }]) => (isRefused ? [event] : []));
}

type JobOrigin = {
  /** "local" where no CI started it. */
  readonly provider: string;
  readonly event: string;
  readonly baseRef: string | null;
};

/**
 * Whether the authors of what a job has checked out may execute commands on its machine anyway. False for every pull
 * request: a fork's has the same event.
 */
export function areFilesTrusted({ provider, event, baseRef }: JobOrigin): boolean {
  if (provider === "local") return event === "local" && baseRef === null;
  return baseRef === null && eventRules(provider, event).isTrusted;
}

/** Whether writers made the commit that the job's token names. */
export function isCommitTrusted({ provider, event, baseRef }: JobOrigin): boolean {
  return baseRef === null && eventRules(provider, event).isCommitTrusted;
}

/** Whether the commit that the job's token names is one of the default branch, as far as its event or the job says. */
export function isOnDefaultBranch(
  job: JobOrigin & { readonly ref: string; readonly defaultBranch?: string },
): boolean {
  if (!isCommitTrusted(job)) return false;
  const isStated = job.defaultBranch !== undefined && job.ref === `refs/heads/${job.defaultBranch}`;
  return isStated || eventRules(job.provider, job.event).isOnDefaultBranch;
}
