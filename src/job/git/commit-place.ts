// The place of the run's commit for a job, and the messages about a missing one. Pure.

import type { CiJob } from "../../ci/provider.ts";
import { ciProviders } from "../../contract/ci/providers.ts";
import type { JobCheckoutPlace } from "./job-checkout.ts";
import type { GitHost } from "./job-git.ts";

export type CommitPlace = Omit<JobCheckoutPlace, "signal"> & {
  /** The host from which objects that the checkout lacks are fetched. Null: only the checkout counts. */
  readonly host: GitHost | null;
  /** `owner/name`, as the code host has it; null where the job does not know that. */
  readonly repository: string | null;
  readonly words: CommitWords;
};

/** Each is a sentence. */
type CommitWords = {
  /** The advice to get the commit. */
  readonly getCommit: string;
  /** The advice to get the whole history. */
  readonly getHistory: string;
  /** The advice to get every file, where the checkout is a partial clone. */
  readonly getFiles: string;
  /** The permission that the job lacks where the code host refuses its token. */
  readonly notPermitted: string;
};

/** The words of the job's provider. */
export function commitWords({ provider }: Pick<CiJob, "provider">, host: GitHost | null): CommitWords {
  const { enable, deepen, complete } = ciProviders[provider].checkout;
  if (host === null) {
    return { getCommit: enable, getHistory: deepen, getFiles: complete, notPermitted: enable };
  }
  return {
    getCommit: `${PERMISSION} ${enable} ${deepen}`,
    getHistory: deepen,
    getFiles: `${PERMISSION} ${complete}`,
    notPermitted: 'the job\'s token may not read the repository, it lacks "permissions: contents: read".',
  };
}

const PERMISSION = 'Give the job "permissions: contents: read". Or:';
