// What the token lacks where Bitbucket refuses a call. Pure.

import { StepError } from "../job/step-error.ts";
import { BitbucketError } from "./bitbucket-error.ts";

export const TOKEN_VARIABLE = "AGENT_SERVICE_BITBUCKET_TOKEN";
/** In a sentence. https://support.atlassian.com/bitbucket-cloud/docs/repository-access-tokens (2026-11-29) */
export const ALL_SCOPES = '"pullrequest:write" and "repository:write"';
export const BAD_TOKEN = `The token in ${TOKEN_VARIABLE} is not valid, or not any more: make a new repository access token with the scopes ${ALL_SCOPES}.`;

/** Awaits one call before a run. Rejects with StepError. */
export async function advised<Answer>(call: Promise<Answer>): Promise<Answer> {
  return await call.catch((cause: unknown) => {
    if (!(cause instanceof BitbucketError)) throw cause;
    throw new StepError(cause.code, `${cause.message} ${adviceOn(cause)}`, { cause });
  });
}

/** `scope` is what the call takes: "pullrequest". */
export function scopeAdvice(scope: string): string {
  return `The token in ${TOKEN_VARIABLE} needs the scope "${scope}", and access to this repository.`;
}

function adviceOn({ status, code, scopeLack }: BitbucketError): string {
  if (status === 401) return BAD_TOKEN;
  if (scopeLack !== null) return scopeAdvice(scopeLack.required.join('", "'));
  if (status === 403 || status === 404) return scopeAdvice("repository");
  return code === "code_host_unavailable" ? "Re-run the step." : "Write it by hand.";
}
