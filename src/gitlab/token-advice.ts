// What the token lacks where GitLab refuses a call: its scope, or the role of its account. Pure.

import { NotWritten, type SubjectPlace } from "../job/outputs/outputs-host.ts";
import { StepError } from "../job/step-error.ts";
import { GitLabError } from "./gitlab-error.ts";

export const TOKEN_VARIABLE = "AGENT_SERVICE_GITLAB_TOKEN";

/** Null: what every member's token reads. */
export type Needed = SubjectPlace | null;

/** Awaits one call of a write. Rejects with NotWritten. */
export async function permitted<Answer>(needed: Needed, call: Promise<Answer>): Promise<Answer> {
  return await call.catch((cause: unknown) => {
    if (!(cause instanceof GitLabError)) throw cause;
    throw new NotWritten(textOf(cause, needed), { cause });
  });
}

/** Awaits one call before a run. Rejects with StepError. */
export async function advised<Answer>(needed: Needed, call: Promise<Answer>): Promise<Answer> {
  return await call.catch((cause: unknown) => {
    if (!(cause instanceof GitLabError)) throw cause;
    throw new StepError(cause.code, textOf(cause, needed), { cause });
  });
}

/** https://docs.gitlab.com/user/permissions (2026-11-28): a Planner changes issues, and no merge request. */
export function roleAdvice({ isPullRequest }: SubjectPlace): string {
  const role = isPullRequest ? "the role Developer" : "the role Planner or Reporter";
  return `The token in ${TOKEN_VARIABLE} needs ${role} in this project, and the scope "api".`;
}

function textOf(error: GitLabError, needed: Needed): string {
  return `${error.message} ${adviceOn(error, needed)}`;
}

function adviceOn({ status, code, lacksScope }: GitLabError, needed: Needed): string {
  if (status === 401)
    return `The token in ${TOKEN_VARIABLE} is not valid, or not any more: make a new project access token with the scope "api".`;
  if (lacksScope || (status === 403 && needed === null))
    return `The token in ${TOKEN_VARIABLE} needs the scope "api": make a new one.`;
  if ((status === 403 || status === 404) && needed !== null) return roleAdvice(needed);
  return code === "code_host_unavailable" ? "Re-run the job." : "Write it by hand.";
}
