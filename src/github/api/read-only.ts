// Tokens of jobs that can only read. Pure.

import type { Environment } from "../../base/environment.ts";

/** True for a job of a fork's pull request. A job that a comment starts has the repository's own token. */
export function canOnlyRead(
  { refs }: { readonly refs: { readonly isFork: boolean } | null },
  { GITHUB_EVENT_NAME: event = "" }: Environment,
): boolean {
  return refs?.isFork === true && /^pull_request(_review|_review_comment)?$/.test(event);
}
