// Access of the job to GitLab's API, by the token that the workflow gives. The token is in no message.

import { systemClock } from "../base/clock.ts";
import { isConfidential } from "../base/confidential-url.ts";
import type { Environment } from "../base/environment.ts";
import { fetchTransport } from "../client/transport.ts";
import { type GitLabApi, gitlabApi } from "../gitlab/gitlab-api.ts";
import { TOKEN_VARIABLE } from "../gitlab/token-advice.ts";
import { retryNote } from "../job/notes.ts";
import { UsageError } from "./flags.ts";
import { note } from "./run-notes.ts";
import { version } from "./version.ts";

export type GitLabAccess = {
  readonly token: string;
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly projectId: string;
};

/** "" where the job has none. */
export function givenToken(env: Environment): string {
  return (env[TOKEN_VARIABLE] ?? "").trim();
}

/** `flag` needs it. Throws UsageError. */
export function readAccess(
  env: Environment,
  { flag, projectId }: { readonly flag: string; readonly projectId: string },
): GitLabAccess {
  const token = givenToken(env);
  if (token === "")
    throw new UsageError(
      `${flag} needs a token that may write, and ${TOKEN_VARIABLE} is not set: the job's own, CI_JOB_TOKEN, may not. ` +
        'Make a project access token with the scope "api" and the role Reporter (for merge requests Developer), and store it as a masked CI/CD ' +
        `variable of the project by the name ${TOKEN_VARIABLE}. A protected variable reaches jobs of protected branches and tags alone.`,
    );
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(`${TOKEN_VARIABLE} must be one token, on one line and without blanks.`);
  const apiUrl = (env.CI_API_V4_URL ?? "").replace(/\/+$/, "");
  if (!URL.canParse(apiUrl) || !/^https?:/.test(apiUrl))
    throw new UsageError(
      "CI_API_V4_URL, the address of GitLab's API, is not set in this job, as GitLab's runner does it.",
    );
  if (!isConfidential(apiUrl))
    throw new UsageError(
      `${flag}: CI_API_V4_URL is plain http: anybody on the network path could read the token. Use https.`,
    );
  return { token, apiUrl, projectId };
}

/** Sends nothing until the first call. */
export function openApi(access: GitLabAccess, signal: AbortSignal): GitLabApi {
  return gitlabApi({
    ...access,
    userAgent: `agent-service-command/${version}`,
    transport: fetchTransport,
    clock: systemClock,
    random: Math.random,
    signal,
    onRetry: (notice) => note(retryNote(notice)),
  });
}

/** The number of the merge request of this pipeline, where that is one of this project: a fork's own pipeline is about another's. */
export function mergeRequestOf(env: Environment, projectId: string): number | null {
  const number = Number(env.CI_MERGE_REQUEST_IID);
  const isOwn = (env.CI_MERGE_REQUEST_PROJECT_ID ?? projectId) === projectId;
  return isOwn && Number.isSafeInteger(number) && number >= 1 ? number : null;
}
