// Fetches the base of the job's pull request where actions/checkout left it out.

import type { Clock } from "../../base/clock.ts";
import { fetchBase } from "../../job/git/fetch-base.ts";
import type { HeadOptions } from "./check-out-head.ts";
import { checkoutPlace, githubHost } from "./github-host.ts";

/**
 * Null where the checkout shows the change of the pull request, or is of another commit, which the run refuses; else why it
 * does not show it, and what to do. Rejects only when the signal aborts.
 */
export async function fetchPullRequestBase(
  options: HeadOptions & { readonly clock: Clock },
): Promise<string | null> {
  const { env, pullRequest, signal, clock } = options;
  const fetched = await fetchBase({
    ...checkoutPlace(env),
    signal,
    clock,
    pullRequest,
    host: githubHost(options),
    words: {
      subject: `pull request #${pullRequest.number}`,
      notPermitted: 'the job lacks "permissions: contents: read".',
      setDepth: (commits) => `Give actions/checkout "fetch-depth: ${commits}".`,
    },
  });
  return fetched.type === "unseen" ? fetched.notice : null;
}
