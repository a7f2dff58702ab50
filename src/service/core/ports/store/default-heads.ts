// The newest commit of each repository's default branch that a job has made known. Implemented in store/default-heads.ts.

import type { JobIdentity } from "../../ci/job-identity.ts";

export interface DefaultHeadReader {
  /** The job that runs on that commit. Null where no job of the default branch is known. */
  find(agentId: string): Promise<JobIdentity | null>;
}

export interface DefaultHeadStore extends DefaultHeadReader {
  /** Replaces what is known. */
  put(head: { agentId: string; job: JobIdentity; now: number }): Promise<void>;
  /** Safe to repeat. */
  delete(agentId: string): Promise<void>;
}
