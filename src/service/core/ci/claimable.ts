// Which jobs can accept a claim of their repository's agent, and so which repositories can be claimed at all. Pure.

import type { JobIdentity } from "./job-identity.ts";

/**
 * Of each provider, the events that only somebody who may write to the repository can cause, and whose job is written in
 * the repository itself. Not GitHub's `merge_group`: what it runs is a pull request that nobody has merged yet. Of
 * Buildkite the schedule alone: a build that a person starts again may be a fork's. Bitbucket starts no pipeline for a
 * fork's pull request, so that each of its jobs is a writer's. CircleCI has none: its tokens name the repository by its
 * address alone, which changes hands, and nothing of what triggered the job.
 */
const acceptingEvents: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "github",
    new Set(["push", "schedule", "workflow_dispatch", "repository_dispatch", "release", "create", "delete"]),
  ],
  ["gitlab", new Set(["push", "schedule", "web", "webide", "api"])],
  ["buildkite", new Set(["schedule"])],
  ["bitbucket", new Set(["pipeline"])],
]);

/** True for a job that only a writer of the repository can have started. */
export function mayAcceptClaim({ provider, event }: JobIdentity): boolean {
  return acceptingEvents.get(provider)?.has(event) === true;
}

/** False for a provider none of whose jobs can accept a claim. */
export function canBeClaimed(provider: string): boolean {
  return acceptingEvents.has(provider);
}
