// Whether who wrote what a job works on may execute commands on its machine anyway. Pure.

/**
 * Events that only somebody who can write to the repository starts, on files that writers made, by provider. Left out
 * is what hides where it came from: a pipeline that another one started (GitLab), a build that a person or a program
 * asked for, of any commit (Buildkite), and all of a CI that is not known here.
 */
const writerEvents: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["local", new Set(["local"])],
  ["github", new Set(["push", "schedule", "workflow_dispatch", "repository_dispatch", "release"])],
  ["gitlab", new Set(["push", "schedule", "web", "webide", "api"])],
  ["circleci", new Set(["push"])],
  ["buildkite", new Set(["push", "schedule"])],
  ["bitbucket", new Set(["push"])],
]);

export type JobOrigin = {
  /** "local" where no CI started it. */
  readonly provider: string;
  readonly event: string;
  readonly baseRef: string | null;
};

/** False for a pull request too, whoever's it is: a fork's has the same name. */
export function isWritersEvent({ provider, event, baseRef }: JobOrigin): boolean {
  return baseRef === null && writerEvents.get(provider)?.has(event) === true;
}
