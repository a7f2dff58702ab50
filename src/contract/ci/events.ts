// What a job may do by the event that started it, one row an event of each provider. The only such list: who can accept
// a claim, which checkout is trusted, where a prompt file is read and what is refused are all answered here. Why each
// row is as it is: docs/decisions/029-one-table-of-events.md. Pure.

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
  /** Whether its jobs are refused unless an operator allows them: an outsider's change can steer their rights. */
  readonly isRefused: boolean;
};

const anyones: EventRules = {
  startedBy: "anyone",
  acceptsClaim: false,
  isTrusted: false,
  isCommitTrusted: false,
  readsCheckedOutPrompt: false,
  isRefused: false,
};
/** Only a writer can start it, on files that writers made, by a workflow that the repository holds. */
const writers: EventRules = {
  startedBy: "writer",
  acceptsClaim: true,
  isTrusted: true,
  isCommitTrusted: true,
  readsCheckedOutPrompt: true,
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
const onDefaultBranch: EventRules = { ...anyones, isCommitTrusted: true };

/** Every event that has a row. */
export const ciEvents: Readonly<Record<CiProviderName, Readonly<Record<string, EventRules>>>> = {
  github: {
    push: writers,
    schedule: writers,
    workflow_dispatch: writers,
    repository_dispatch: writers,
    release: writers,
    // It works on the default branch.
    delete: writers,
    // A writer makes the branch or tag, at any commit: that of a fork's pull request too.
    create: { ...writers, isTrusted: false, isCommitTrusted: false, readsCheckedOutPrompt: false },
    // A writer queues the pull request, whose files nobody has merged yet.
    merge_group: { ...anyones, startedBy: "writer" },
    pull_request: anyones,
    pull_request_review: anyones,
    pull_request_review_comment: anyones,
    issue_comment: onDefaultBranch,
    issues: onDefaultBranch,
    discussion: onDefaultBranch,
    discussion_comment: onDefaultBranch,
    fork: onDefaultBranch,
    watch: onDefaultBranch,
    gollum: onDefaultBranch,
    pull_request_target: refused,
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

/** What a job of the event may do. An event or a provider that has no row is anyone's. */
export function eventRules(provider: string, event: string): EventRules {
  const events = Object.hasOwn(ciEvents, provider) ? ciEvents[provider as CiProviderName] : {};
  return (Object.hasOwn(events, event) ? events[event] : undefined) ?? anyones;
}

/** The events of the provider whose jobs are refused unless an operator allows them. */
export function refusedEvents(provider: CiProviderName): readonly string[] {
  return Object.entries(ciEvents[provider]).flatMap(([event, { isRefused }]) => (isRefused ? [event] : []));
}

export type JobOrigin = {
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
