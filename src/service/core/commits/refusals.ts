/** A run of a repository that is not public, for a commit that its job has not sent. */
export type CommitMissingRefusal = {
  readonly reason: "commit_missing";
  readonly repository: string;
  readonly sha: string;
};

/** A run that no job asks for: no commit of its session or of the default branch is known, or held. */
export type CommitUnknownRefusal = {
  readonly reason: "commit_unknown";
  readonly repository: string;
  readonly isPublic: boolean;
  /** The commit that was known and is not held any more. */
  readonly goneSha: string | null;
};
