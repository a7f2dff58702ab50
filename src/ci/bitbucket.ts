// Bitbucket Pipelines: who the step is, and the one token that `oidc:` gave it.
// https://support.atlassian.com/bitbucket-cloud/docs/integrate-pipelines-with-resource-servers-using-oidc/

import type { Environment } from "../base/environment.ts";
import { takeGivenToken } from "./given-token.ts";
import type { CiJob, CiProvider } from "./provider.ts";
import type { ProviderDefinition } from "./provider-definition.ts";

const TOKEN_VARIABLE = "BITBUCKET_STEP_OIDC_TOKEN";

export const bitbucket: ProviderDefinition = {
  isJob: (env) => Boolean(env.BITBUCKET_BUILD_NUMBER) && Boolean(env.BITBUCKET_REPO_UUID),
  create: createBitbucketProvider,
  variables: {
    owner: "BITBUCKET_WORKSPACE",
    ref: { tag: "BITBUCKET_TAG", branch: "BITBUCKET_BRANCH" },
    base: "BITBUCKET_PR_DESTINATION_BRANCH",
    runUrl: null,
    startedBy: [],
    server: null,
  },
  environment: { hasTokensId: true, hasRepositoryName: true },
  tokenLines: yamlOf,
  modelTokens: {
    type: "shared",
    refusal:
      "A step of Bitbucket has one ID token, and the service takes it: there is none for the model's provider. " +
      "Run it with --embedded, or let the service pay for its model.",
  },
  logFormat: null,
  readChange: null,
  resultPage: "code_insights",
};

/** The step that this process runs in. */
export function createBitbucketProvider(options: { readonly env?: Environment } = {}): CiProvider {
  const { env = process.env } = options;
  const tokens = [env[TOKEN_VARIABLE] || []].flat();
  const take = takeGivenToken({ variable: TOKEN_VARIABLE, tokens, fix: yamlOf });
  return {
    job: identifyJob(env),
    tokenLimit: tokens.length,
    moreTokens:
      "A step has one token alone. Ask for less in one run, or have the service's operator raise CI_CAPABILITY_SECONDS.",
    mintIdToken: async (audience, signal) => {
      signal?.throwIfAborted();
      return await take(audience);
    },
  };
}

function identifyJob(env: Environment): CiJob {
  return {
    provider: "bitbucket",
    repository: { id: env.BITBUCKET_REPO_UUID ?? "", name: env.BITBUCKET_REPO_FULL_NAME ?? "" },
    event: env.BITBUCKET_PR_ID ? "pull_request" : "push",
    sha: env.BITBUCKET_COMMIT ?? "",
    runId: env.BITBUCKET_PIPELINE_UUID ?? "",
    attempt: Math.max(1, Number.parseInt(env.BITBUCKET_STEP_RUN_NUMBER ?? "1", 10) || 1),
    job: env.BITBUCKET_STEP_UUID ?? "",
    step: env.BITBUCKET_PARALLEL_STEP ?? "",
  };
}

function yamlOf(audience: string): string {
  return [`      oidc:`, `        audiences:`, `          - ${audience}`].join("\n");
}
