// GitHub as git reaches it from a job. Pure.

import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { serverUrl } from "../../ci/github-server.ts";
import type { JobCheckoutPlace } from "../../job/git/job-checkout.ts";
import type { GitHost } from "../../job/git/job-git.ts";

type GitHubHostOptions = {
  readonly env: Environment;
  readonly token: string;
  /** Masks a value in the job's log. */
  readonly setSecret: (secret: string) => void;
};

/** A repository of the job's code host; by default the job's own. */
export function githubHost(
  { env, token, setSecret }: GitHubHostOptions,
  repository = env.GITHUB_REPOSITORY ?? "",
): GitHost {
  return { serverUrl: serverUrl(env), repository, user: "x-access-token", token, setSecret };
}

/** The place where actions/checkout puts the repository. */
export function checkoutPlace(env: Environment): Pick<JobCheckoutPlace, "env" | "root" | "tempFolder"> {
  return { env, root: resolve(env.GITHUB_WORKSPACE || "."), tempFolder: env.RUNNER_TEMP || tmpdir() };
}
