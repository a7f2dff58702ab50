// Whether the job's token can write. Pure.

import type { Environment } from "../../ci/provider.ts";
import type { Talk } from "../trigger/agent-request.ts";

/** A comment's job has the repository's own token; that of the fork's pull request can only read, whatever it asks for. */
export function canOnlyRead(
  { ends }: Pick<Talk, "ends">,
  { GITHUB_EVENT_NAME: event = "" }: Environment,
): boolean {
  return ends?.isFork === true && /^pull_request(_review|_review_comment)?$/.test(event);
}
