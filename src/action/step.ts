// What every part of the main step shares: the job's environment, its way out, and what is known so far.

import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import { createGitHubProvider } from "../ci/github.ts";
import type { CiJob, CiProvider, Environment } from "../ci/provider.ts";
import { ApiError } from "../client/errors.ts";
import type { RetryNotice } from "../client/retry.ts";
import type { Transport } from "../client/transport.ts";
import type { RequestSubject } from "../github/trigger/agent-request.ts";
import type { Interrupts } from "../job/signals.ts";
import type { Inputs } from "./inputs.ts";
import type { Progress } from "./progress.ts";
import { sayLine } from "./say-line.ts";
import type { openTransport } from "./transport.ts";

export type Step = {
  readonly env: Environment;
  readonly interrupts: Interrupts;
  readonly transport: ReturnType<typeof openTransport>;
  readonly progress: Progress;
};

/** The job, as GitHub says it is. */
export function identify({ env, transport }: Step): CiProvider {
  return createGitHubProvider({
    env,
    transport: transport.send,
    clock: systemClock,
    random: Math.random,
    onRetry: noteRetry,
  });
}

export type GitHubAccess = {
  readonly env: Environment;
  readonly transport: Transport;
  readonly onRetry: (notice: RetryNotice) => void;
};

/** What it takes to ask the code host. */
export function githubAccess({ env, transport }: Step): GitHubAccess {
  return { env, transport: transport.send, onRetry: noteRetry };
}

/** On a thread, its people are told that they were heard. */
export async function speakUp(
  step: Step,
  { inputs, subject, job }: { inputs: Inputs; subject: RequestSubject; job: CiJob },
): Promise<void> {
  const { env, progress } = step;
  const { canOnlyRead } = await import("../github/api/read-only.ts");
  if (canOnlyRead(subject, env)) {
    sayLine("The job of a fork's pull request can write no comment: the answer is in the job summary.");
    return;
  }
  const { openStatusComment } = await import("../github/status-comment/status-comment.ts");
  const { openGitHubApi } = await import("../github/api/open-github-api.ts");
  progress.statusComment = openStatusComment({
    openApi: (signal) => openGitHubApi({ ...githubAccess(step), token: inputs.githubToken, job, signal }),
    subject,
    job,
    env,
    matrix: inputs.matrix,
    clock: systemClock,
    onWarning: core.warning,
  });
  progress.statusComment.acknowledge();
}

export function noteRetry({ attempt, delayMs, error }: RetryNotice): void {
  const answered =
    error instanceof ApiError ? `${error.call} answered ${error.status} (request ${error.requestId}): ` : "";
  const wait = `Trying again in ${(delayMs / 1000).toFixed(1)} s.`;
  sayLine(`Attempt ${attempt} failed: ${answered}${error.message} ${wait}`);
}
