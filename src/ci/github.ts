// GitHub Actions: the job's identity, the minting of its token, and the reasons why it may not.
// https://docs.github.com/actions/concepts/security/openid-connect

import { readFile } from "node:fs/promises";
import type { BackoffPolicy, RetryNotice } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { DecodeError } from "../client/errors.ts";
import { retrying } from "../client/retry.ts";
import type { Transport, TransportRequest, TransportResponse } from "../client/transport.ts";
import { serverUrl } from "./github-server.ts";
import type { JobChange } from "./job-change.ts";
import { type CiJob, type CiProvider, IdentityError } from "./provider.ts";
import type { ProviderDefinition } from "./provider-definition.ts";

const MINT_RETRY: BackoffPolicy = { attempts: 5, firstDelayMs: 500, maxDelayMs: 15_000 };
const MINT_TIMEOUT_MS = 20_000;
const MAX_TOKEN_BYTES = 64 * 1024;
const MAX_BRANCH_CHARS = 255;

type GitHubOptions = {
  readonly env?: Environment;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

export const github: ProviderDefinition = {
  isJob: (env) => env.GITHUB_ACTIONS === "true",
  create: createGitHubProvider,
  variables: {
    owner: "GITHUB_REPOSITORY_OWNER_ID",
    ref: "GITHUB_REF",
    base: "GITHUB_BASE_REF",
    runUrl: null,
    startedBy: ["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR"],
    server: "GITHUB_SERVER_URL",
  },
  environment: { hasTokensId: true, hasRepositoryName: true },
  tokenLines: null,
  modelTokens: { type: "minted" },
  logFormat: "github",
  readChange,
  resultPage: "step_summary",
};

/** The job that this process runs in. Reads nothing but `env` until a token is requested. */
export function createGitHubProvider(options: GitHubOptions): CiProvider {
  const { env = process.env } = options;
  return {
    job: identifyJob(env),
    mintIdToken: (audience, signal) => mintIdToken({ ...options, env, audience, signal }),
    readDefaultBranch: () => readDefaultBranch(env),
  };
}

/** From the event's payload. Hand-written: this runs before anything else may be loaded. */
async function readDefaultBranch({ GITHUB_EVENT_PATH: path }: Environment): Promise<string | null> {
  if (!path) return null;
  try {
    const payload: unknown = JSON.parse(await readFile(path, "utf8"));
    const branch = fieldOf(fieldOf(payload, "repository"), "default_branch");
    return typeof branch === "string" && branch !== "" && branch.length <= MAX_BRANCH_CHARS ? branch : null;
  } catch {
    return null;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

async function readChange(env: Environment): Promise<JobChange | null> {
  const { readGitHubEvent } = await import("./github-event.ts");
  const { pullRequest } = await readGitHubEvent(env);
  const baseRef = env.GITHUB_BASE_REF ?? "";
  if (pullRequest === null || baseRef === "") return null;
  const { number, headSha } = pullRequest;
  const mergeRef = `refs/pull/${number}/merge`;
  return {
    number,
    headSha,
    baseRef,
    title: `pull request #${number}`,
    mergeRef: env.GITHUB_REF === mergeRef ? mergeRef : null,
    host: {
      serverUrl: serverUrl(env),
      repository: env.GITHUB_REPOSITORY ?? "",
      user: "x-access-token",
      token: env.GITHUB_TOKEN ?? "",
    },
    notPermitted: 'the job lacks "permissions: contents: read".',
    setDepth: (commits) => `Give actions/checkout "fetch-depth: ${commits}".`,
  };
}

function identifyJob(env: Environment): CiJob {
  return {
    provider: "github",
    repository: { id: env.GITHUB_REPOSITORY_ID ?? "", name: env.GITHUB_REPOSITORY ?? "" },
    event: env.GITHUB_EVENT_NAME ?? "",
    sha: env.GITHUB_SHA ?? "",
    runId: env.GITHUB_RUN_ID ?? "",
    attempt: Math.max(1, Number.parseInt(env.GITHUB_RUN_ATTEMPT ?? "1", 10) || 1),
    job: env.GITHUB_JOB ?? "",
    step: env.GITHUB_ACTION ?? "",
  };
}

type Mint = GitHubOptions & {
  readonly env: Environment;
  readonly audience: string;
  readonly signal?: AbortSignal | undefined;
};

async function mintIdToken(mint: Mint): Promise<string> {
  const { env, transport, signal } = mint;
  const url = env.ACTIONS_ID_TOKEN_REQUEST_URL;
  const bearer = env.ACTIONS_ID_TOKEN_REQUEST_TOKEN;
  if (!url || !bearer) throw await explainMissingToken(env);
  const request: TransportRequest = {
    method: "GET",
    url: tokenUrl(url, mint.audience),
    headers: { accept: "application/json", authorization: `Bearer ${bearer}` },
    timeoutMs: MINT_TIMEOUT_MS,
    maxBodyBytes: MAX_TOKEN_BYTES,
    signal,
  };
  try {
    return await retrying({ ...mint, policy: MINT_RETRY }, async () => tokenOf(await transport(request)));
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof IdentityError) throw cause;
    const detail = cause instanceof Error ? ` ${cause.message}` : "";
    throw new IdentityError("id_token_failed", `GitHub gave no ID token.${detail} Re-run the job.`, {
      cause,
    });
  }
}

function tokenUrl(base: string, audience: string): string {
  const url = new URL(base);
  url.searchParams.set("audience", audience);
  return url.href;
}

/** Hand-written, where the rest decodes by schema: this runs before anything else may be loaded. */
function tokenOf(response: TransportResponse): string {
  const { status } = response;
  if (status >= 500 || status === 429) {
    throw new DecodeError({ message: `Its token endpoint answered ${status}.`, status, contentType: "" });
  }
  if (status !== 200) {
    throw new IdentityError(
      "id_token_refused",
      `GitHub refused an ID token (${status}). Check "permissions: id-token: write" and the audience.`,
    );
  }
  const token = valueField(response.body);
  if (typeof token === "string" && token !== "") return token;
  throw new IdentityError(
    "id_token_failed",
    "GitHub's token endpoint answered without a token. Re-run the job.",
  );
}

function valueField(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null && "value" in parsed ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}

/** Whose job this is, where GitHub gives it neither secrets nor an ID token unless a setting says so; null for all others. */
export async function untrustedOrigin(env: Environment): Promise<"fork_pull_request" | "dependabot" | null> {
  const { readGitHubEvent } = await import("./github-event.ts");
  const event = await readGitHubEvent(env);
  if (event.isForkPullRequest) return "fork_pull_request";
  return env.GITHUB_ACTOR === "dependabot[bot]" ? "dependabot" : null;
}

/** A job without the permission and a job that can never have it have the same variables; the event tells them apart. */
async function explainMissingToken(env: Environment): Promise<IdentityError> {
  const origin = await untrustedOrigin(env);
  if (origin === "fork_pull_request") {
    return new IdentityError(
      "fork_pull_request",
      "Nothing ran: GitHub gives no identity to a workflow on a fork's pull request. " +
        "A maintainer can run it from a branch of this repository, or by workflow_dispatch.",
    );
  }
  if (origin === "dependabot") {
    return new IdentityError(
      "dependabot",
      "Nothing ran: Dependabot started this workflow, and its jobs get no ID token by default. " +
        'Add "permissions: id-token: write" to this job, or run it by workflow_dispatch.',
    );
  }
  return new IdentityError(
    "id_token_unavailable",
    'No ID token available. Add "permissions: id-token: write" to this job.',
  );
}
