// Addresses of GitHub's pages. Pure.

import type { Environment } from "../../base/environment.ts";
import { serverUrl } from "../../ci/github-server.ts";

/** Without a trailing slash. */
export function repositoryPage(env: Environment, repository: string): string {
  return `${serverUrl(env)}/${repository}`;
}

/** The page of this workflow run, with its jobs and their logs. */
export function jobPage(env: Environment, repository: string): string {
  return `${repositoryPage(env, repository)}/actions/runs/${env.GITHUB_RUN_ID ?? ""}`;
}
