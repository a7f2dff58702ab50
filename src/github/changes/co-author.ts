// The trailer of a commit for who asked for it on GitHub. Pure.

import type { Environment } from "../../base/environment.ts";
import type { ChangesSubject } from "../../job/changes/changes-host.ts";

type Asking = {
  readonly subject: Pick<ChangesSubject, "isPullRequest" | "comment"> | null;
  readonly env: Environment;
  readonly noreplyHost: string;
};

/** The user who made the request; null for nobody. The actor of a job that started by itself made none. */
export function coAuthor({ subject, env, noreplyHost }: Asking): string | null {
  const isRequested = subject === null ? isByHand(env) : subject.comment !== null || !subject.isPullRequest;
  const { GITHUB_ACTOR: login = "", GITHUB_ACTOR_ID: id = "" } = env;
  if (!isRequested || !/^[\w-]{1,100}$/.test(login) || !/^\d{1,20}$/.test(id)) return null;
  return `Co-authored-by: ${login} <${id}+${login}@${noreplyHost}>`;
}

/** Somebody has started the workflow. */
export function isByHand({ GITHUB_EVENT_NAME: event }: Environment): boolean {
  return event === "workflow_dispatch";
}
