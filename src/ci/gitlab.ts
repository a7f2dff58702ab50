// GitLab CI: who the job is, and the tokens that its `id_tokens:` gave it.
// https://docs.gitlab.com/ci/secrets/id_token_authentication

import type { Environment } from "../base/environment.ts";
import { takeGivenToken } from "./given-token.ts";
import type { JobChange } from "./job-change.ts";
import { type CiJob, type CiProvider, IdentityError } from "./provider.ts";
import type { ProviderDefinition } from "./provider-definition.ts";

export const GITLAB_TOKEN_VARIABLE = "AGENT_SERVICE_ID_TOKEN";
const GITLAB_MODEL_TOKEN_VARIABLE = "AGENT_SERVICE_MODEL_ID_TOKEN";
const MAX_TOKENS = 20;

type GitLabOptions = {
  readonly env?: Environment;
  /** The variable that the job's `id_tokens:` names. More tokens are in it with `_2`, `_3` … after its name. */
  readonly tokenVariable?: string;
};

export const gitlab: ProviderDefinition = {
  isJob: (env) => env.GITLAB_CI === "true",
  create: createGitLabProvider,
  variables: {
    owner: "CI_PROJECT_NAMESPACE_ID",
    ref: { tag: "CI_COMMIT_TAG", branch: "CI_COMMIT_REF_NAME" },
    base: "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    runUrl: "CI_PIPELINE_URL",
    startedBy: ["GITLAB_USER_LOGIN"],
    server: "CI_SERVER_URL",
  },
  environment: { hasTokensId: true, hasRepositoryName: true },
  tokenLines: (audience) => yamlOf(GITLAB_TOKEN_VARIABLE, audience),
  modelTokens: { type: "variable", variable: GITLAB_MODEL_TOKEN_VARIABLE },
  logFormat: "gitlab",
  readChange: async (env) => readChange(env),
  resultPage: "report_files",
};

/** The job that this process runs in. */
export function createGitLabProvider(options: GitLabOptions = {}): CiProvider {
  const { env = process.env, tokenVariable: variable = GITLAB_TOKEN_VARIABLE } = options;
  const tokens = tokensOf(env, variable);
  const take = takeGivenToken({ variable, tokens, fix: (audience) => yamlOf(variable, audience) });
  return {
    job: identifyJob(env),
    tokenLimit: tokens.length,
    moreTokens: `Give the job one more token for a longer run, ${variable}_${tokens.length + 1} beside the others.`,
    mintIdToken: async (audience, signal) => {
      signal?.throwIfAborted();
      if (isForkMergeRequest(env)) throw forkRefused();
      return await take(audience);
    },
    readDefaultBranch: async () => env.CI_DEFAULT_BRANCH || null,
  };
}

function identifyJob(env: Environment): CiJob {
  return {
    provider: "gitlab",
    repository: { id: env.CI_PROJECT_ID ?? "", name: env.CI_PROJECT_PATH ?? "" },
    event: eventOf(env.CI_PIPELINE_SOURCE ?? ""),
    sha: env.CI_COMMIT_SHA ?? "",
    runId: env.CI_PIPELINE_ID ?? "",
    attempt: null,
    // Names each leg of a matrix too, and stays the same when the job is retried.
    job: env.CI_JOB_NAME ?? "",
    step: "",
  };
}

/** https://docs.gitlab.com/ci/variables/predefined_variables/#predefined-variables-for-merge-request-pipelines */
export function readChange(env: Environment): JobChange | null {
  const number = Number(env.CI_MERGE_REQUEST_IID);
  const baseRef = env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME ?? "";
  // Only a pipeline for merged results has it: there CI_COMMIT_SHA is the merge.
  const mergedSha = env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA ?? "";
  const headSha = mergedSha || (env.CI_COMMIT_SHA ?? "");
  if (!Number.isSafeInteger(number) || number < 1 || baseRef === "" || headSha === "") return null;
  return {
    number,
    headSha,
    baseRef,
    title: `merge request !${number}`,
    mergeRef: mergedSha === "" ? null : `refs/merge-requests/${number}/merge`,
    host: {
      serverUrl: (env.CI_SERVER_URL ?? "https://gitlab.com").replace(/\/+$/, ""),
      repository: env.CI_MERGE_REQUEST_PROJECT_PATH || (env.CI_PROJECT_PATH ?? ""),
      user: "gitlab-ci-token",
      token: env.CI_JOB_TOKEN ?? "",
    },
    notPermitted: "the job's token may not read the project.",
    setDepth: (commits) => `Set the job's variable GIT_DEPTH to "${commits}".`,
  };
}

function eventOf(source: string): string {
  return source === "merge_request_event" || source === "external_pull_request_event"
    ? "pull_request"
    : source;
}

/** Of one that runs in the project which it wants to change: the fork's own pipeline is the fork's. */
export function isForkMergeRequest(env: Environment): boolean {
  const source = env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID;
  return source !== undefined && source !== "" && source !== env.CI_PROJECT_ID;
}

function forkRefused(): IdentityError {
  return new IdentityError(
    "fork_pull_request",
    "Nothing ran: this is a fork's merge request, and its change could steer the job. " +
      "A member can run it from a branch of this project.",
  );
}

function tokensOf(env: Environment, variable: string): string[] {
  const names = Array.from({ length: MAX_TOKENS }, (_, index) =>
    index === 0 ? variable : `${variable}_${index + 1}`,
  );
  return names.flatMap((name) => env[name] || []);
}

function yamlOf(variable: string, audience: string): string {
  return [`  id_tokens:`, `    ${variable}:`, `      aud: ${audience}`].join("\n");
}
