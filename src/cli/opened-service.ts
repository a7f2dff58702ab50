// The service of `agent-service run`, opened. Types only.

import type { PullRequest } from "../contract/runs/pull-request.ts";
import type { JobService } from "../job/job-types.ts";

export type OpenedService = {
  readonly service: JobService;
  /** The pull request that the run works on in place of the job's commit; null where that is the commit. */
  readonly pullRequest: PullRequest | null;
};
