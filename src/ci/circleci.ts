// CircleCI: the job's identity, and the minting of its token.
// https://circleci.com/docs/guides/permissions-authentication/oidc-tokens-with-custom-claims/

import type { Environment } from "../base/environment.ts";
import { mintByCommand, type ToolOptions } from "./minted-token.ts";
import { type CiJob, type CiProvider, IdentityError } from "./provider.ts";
import type { ProviderDefinition } from "./provider-definition.ts";

export const circleci: ProviderDefinition = {
  isJob: (env) => env.CIRCLECI === "true",
  create: createCircleCiProvider,
  variables: {
    owner: "CIRCLE_ORGANIZATION_ID",
    ref: { tag: "CIRCLE_TAG", branch: "CIRCLE_BRANCH" },
    base: null,
    runUrl: "CIRCLE_BUILD_URL",
    startedBy: ["CIRCLE_USERNAME"],
    server: null,
  },
  environment: { hasTokensId: false, hasRepositoryName: true },
  tokenLines: null,
  modelTokens: { type: "minted" },
  logFormat: null,
  readChange: null,
  resultPage: null,
};

/** The job that this process runs in. Executes nothing until a token is requested. */
export function createCircleCiProvider(options: ToolOptions): CiProvider {
  const { env = process.env } = options;
  return {
    job: identifyJob(env),
    mintIdToken: mintByCommand({
      ...options,
      env,
      command: "circleci",
      args: (audience) => ["run", "oidc", "get", "--claims", JSON.stringify({ aud: audience })],
      missing: () =>
        new IdentityError(
          "id_token_unavailable",
          'No ID token available: there is no command "circleci" in this job. CircleCI puts it into every job of its own; leave PATH as it was.',
        ),
      failed: () => explainFailure(env),
    }),
  };
}

function identifyJob(env: Environment): CiJob {
  const owner = env.CIRCLE_PROJECT_USERNAME ?? "";
  return {
    provider: "circleci",
    repository: { id: env.CIRCLE_PROJECT_ID ?? "", name: `${owner}/${env.CIRCLE_PROJECT_REPONAME ?? ""}` },
    event: env.CIRCLE_PULL_REQUEST || isForks(env) ? "pull_request" : "push",
    sha: env.CIRCLE_SHA1 ?? "",
    // A re-run is another workflow of the same pipeline.
    runId: env.CIRCLE_PIPELINE_ID || env.CIRCLE_WORKFLOW_ID || "",
    attempt: null,
    job: env.CIRCLE_JOB ?? "",
    step: env.CIRCLE_NODE_INDEX ?? "0",
  };
}

/** Each is set only for a fork's pull request. */
function isForks(env: Environment): boolean {
  return Boolean(env.CIRCLE_PR_NUMBER) || /^pull\/\d+$/.test(env.CIRCLE_BRANCH ?? "");
}

function explainFailure(env: Environment): IdentityError {
  if (isForks(env)) {
    return new IdentityError(
      "fork_pull_request",
      "Nothing ran: CircleCI gives no identity to a job of a fork's pull request. " +
        "A maintainer can run it from a branch of this repository.",
    );
  }
  return new IdentityError(
    "id_token_failed",
    'CircleCI gave no ID token: "circleci run oidc get" failed. Run it in a job of CircleCI itself (cloud, or server 4.4 and newer), then re-run the job.',
  );
}
