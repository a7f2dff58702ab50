// Buildkite: the job's identity, and the minting of its token.
// https://buildkite.com/docs/agent/cli/reference/oidc

import type { Environment } from "../base/environment.ts";
import { mintByCommand, type ToolOptions } from "./minted-token.ts";
import { type CiJob, type CiProvider, IdentityError } from "./provider.ts";
import type { ProviderDefinition } from "./provider-definition.ts";

/** Not in a token unless requested. */
const CLAIMS = ["organization_id", "pipeline_id"];

export const buildkite: ProviderDefinition = {
  isJob: (env) => env.BUILDKITE === "true",
  create: createBuildkiteProvider,
  variables: {
    owner: "BUILDKITE_ORGANIZATION_SLUG",
    ref: { tag: "BUILDKITE_TAG", branch: "BUILDKITE_BRANCH" },
    base: "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    runUrl: "BUILDKITE_BUILD_URL",
    startedBy: ["BUILDKITE_BUILD_CREATOR"],
    server: null,
  },
  // A pipeline need not be named as its repository is.
  environment: { hasTokensId: false, hasRepositoryName: false },
  tokenLines: null,
  modelTokens: { type: "minted" },
  logFormat: "buildkite",
  readChange: null,
  resultPage: "annotation",
};

/** The job that this process runs in. Executes nothing until a token is requested. */
export function createBuildkiteProvider(options: ToolOptions): CiProvider {
  const { env = process.env } = options;
  return {
    job: identifyJob(env),
    readDefaultBranch: async () => env.BUILDKITE_PIPELINE_DEFAULT_BRANCH || null,
    mintIdToken: mintByCommand({
      ...options,
      env,
      command: "buildkite-agent",
      args: (audience) => [
        "oidc",
        "request-token",
        "--audience",
        audience,
        ...CLAIMS.flatMap((claim) => ["--claim", claim]),
      ],
      missing: () =>
        new IdentityError(
          "id_token_unavailable",
          'No ID token available: there is no command "buildkite-agent" in this job. In a container, add to the docker plugin of this step:\n\n        mount-buildkite-agent: true\n',
        ),
      failed: () =>
        new IdentityError(
          "id_token_failed",
          'Buildkite gave no ID token: "buildkite-agent oidc request-token" failed. It needs an agent that knows "--claim", and BUILDKITE_AGENT_ACCESS_TOKEN where it runs in a container. Re-run the job.',
        ),
    }),
  };
}

function identifyJob(env: Environment): CiJob {
  const owner = env.BUILDKITE_ORGANIZATION_SLUG ?? "";
  return {
    provider: "buildkite",
    repository: {
      id: env.BUILDKITE_PIPELINE_ID ?? "",
      name: `${owner}/${env.BUILDKITE_PIPELINE_SLUG ?? ""}`,
    },
    event: eventOf(env),
    sha: commitOf(env.BUILDKITE_COMMIT ?? ""),
    runId: env.BUILDKITE_BUILD_ID ?? "",
    attempt: 1 + (Number.parseInt(env.BUILDKITE_RETRY_COUNT ?? "0", 10) || 0),
    job: env.BUILDKITE_STEP_ID || env.BUILDKITE_STEP_KEY || "",
    step: env.BUILDKITE_PARALLEL_JOB ?? "",
  };
}

function eventOf(env: Environment): string {
  const pull = env.BUILDKITE_PULL_REQUEST ?? "";
  if (pull !== "" && pull !== "false") return "pull_request";
  const source = env.BUILDKITE_SOURCE ?? "";
  return source === "webhook" ? "push" : source;
}

/** Empty where the build began with whatever the branch had: the checkout knows then. */
function commitOf(text: string): string {
  return text === "HEAD" ? "" : text;
}
