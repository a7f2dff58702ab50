// GitHub's API as this job may use it.

import type { Inputs } from "../../action/inputs.ts";
import { systemClock } from "../../base/clock.ts";
import type { CiJob, Environment } from "../../ci/provider.ts";
import type { RetryNotice } from "../../client/retry.ts";
import type { Transport } from "../../client/transport.ts";
import { type GitHubApi, githubApi } from "./github-api.ts";

export type OpenGitHubApiOptions = {
  readonly inputs: Pick<Inputs, "githubToken">;
  readonly job: CiJob;
  readonly env: Environment;
  readonly transport: Transport;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

export function openGitHubApi({ inputs, job, env, ...options }: OpenGitHubApiOptions): GitHubApi {
  const apiUrl = env.GITHUB_API_URL ?? "https://api.github.com";
  return githubApi({
    ...options,
    apiUrl,
    graphqlUrl: env.GITHUB_GRAPHQL_URL ?? `${apiUrl}/graphql`,
    token: inputs.githubToken,
    repository: job.repository.name,
    clock: systemClock,
    random: Math.random,
  });
}
