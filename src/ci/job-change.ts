// The pull request or merge request that a job is about, as its variables name it, and the way of git to its base. Not verified.
// Types only.

export type JobChange = {
  readonly number: number;
  readonly headSha: string;
  /** The branch that it goes to, by its plain name. */
  readonly baseRef: string;
  /** As the provider's users write it: "merge request !7". */
  readonly title: string;
  /** The ref of the job, where the provider merges the head into the base for it; null where it does not. */
  readonly mergeRef: string | null;
  /** The repository that it goes to, and the job's access to it. The token is "" where the job has none. */
  readonly host: {
    readonly serverUrl: string;
    readonly repository: string;
    readonly user: string;
    readonly token: string;
  };
  /** The permission that the job lacks where the code host refuses the token: a sentence. */
  readonly notPermitted: string;
  /** The setting for so many commits of history: a sentence. 0 is all of it. */
  readonly setDepth: (commits: 0 | 2) => string;
};
