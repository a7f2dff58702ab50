// The change that an embedded run is to see: the pull request or merge request of its job. A checkout of CI often lacks
// what the change is compared with.

import { tmpdir } from "node:os";
import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { JobChange } from "../ci/job-change.ts";
import { type BaseFetched, fetchBase } from "../job/git/fetch-base.ts";

type ChangePlace = { readonly env: Environment; readonly root: string; readonly signal: AbortSignal };

/** Fetches the base where the checkout lacks it. Stops at the signal, and leaves it to the job to see that. */
export async function fetchChangeBase(change: JobChange, place: ChangePlace): Promise<BaseFetched> {
  const { headSha, baseRef, title, host, notPermitted, setDepth } = change;
  try {
    return await fetchBase({
      ...place,
      tempFolder: tmpdir(),
      clock: systemClock,
      pullRequest: { headSha, baseRef },
      // The command masks nothing: it prints no token.
      host: { ...host, setSecret: () => {} },
      words: { subject: title, notPermitted, setDepth },
    });
  } catch (cause) {
    if (place.signal.aborted) return { type: "other_commit" };
    throw cause;
  }
}
