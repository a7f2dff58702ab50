// The place of the run's commit for a step: its checkout, and GitHub for objects that the checkout lacks, with the job's own
// token. Loaded only where the commit is sent.

import { checkoutPlace, githubHost } from "../github/git/github-host.ts";
import { type CommitPlace, commitWords } from "../job/git/commit-place.ts";
import type { GitHost } from "../job/git/job-git.ts";
import type { ActionStep } from "./action-types.ts";

export function commitPlace(
  { env, github }: Pick<ActionStep, "env" | "github">,
  access: Pick<GitHost, "token" | "setSecret">,
): CommitPlace {
  const host = githubHost({ env, ...access });
  const { job } = github;
  return { ...checkoutPlace(env), host, repository: job.repository.name, words: commitWords(job, host) };
}
