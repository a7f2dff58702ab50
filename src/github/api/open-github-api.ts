// GitHub's API as this job may use it.

import { systemClock } from "../../base/clock.ts";
import type { CiJob, Environment } from "../../ci/provider.ts";
import type { RetryNotice } from "../../client/retry.ts";
import type { Transport } from "../../client/transport.ts";
import { type GitHubApi, githubApi } from "./github-api.ts";

export type OpenGitHubApiOptions = {
  readonly token: string;
  readonly job: CiJob;
  readonly env: Environment;
  readonly transport: Transport;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

export function openGitHubApi({ job, env, ...options }: OpenGitHubApiOptions): GitHubApi {
  const apiUrl = env.GITHUB_API_URL ?? "https://api.github.com";
  return githubApi({
    ...options,
    apiUrl,
    graphqlUrl: env.GITHUB_GRAPHQL_URL ?? `${apiUrl}/graphql`,
    repository: job.repository.name,
    clock: systemClock,
    random: Math.random,
  });
}
