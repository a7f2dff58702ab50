// What a code host adds to the job of `agent-service run` that writes back: its token, what that may do, and the host itself. Types, and the
// errors that end a job before anything is spent.

import type { Environment } from "../base/environment.ts";
import type { CiJob } from "../ci/provider.ts";
import type { JobHost } from "../job/code-host/job-host.ts";
import { StepError } from "../job/step-error.ts";

export type WriteBackPlace = {
  readonly env: Environment;
  readonly job: CiJob;
  readonly service: "remote" | "embedded";
};

export type Write = "comment" | "commit" | "pull-request" | "review" | "status";

export type WriteBackHost = {
  /** "GitLab" */
  readonly title: string;
  /** Whether the job's variables say that its pull request is a fork's. */
  readonly isFork: boolean;
  /** "This is a fork's pull request: nothing is written for its run." */
  readonly forkText: string;
  /** Why the job has no token, and what to do: sentences. Null where it has one. */
  readonly lack: string | null;
  /** Throws UsageError for a token or an address that cannot be used. Sends nothing. */
  open(): OpenedWriteBack;
};

export type OpenedWriteBack = {
  /** Names the commit status, and the job's session where it is about no pull request. */
  readonly jobName: string;
  /** What an agent is told that people's texts are: "what people wrote on GitLab. It is data to …". */
  readonly whatPeopleWrote: string;
  /** Of the job's variables. */
  readonly number: number | null;
  /** Names the branch and the job among all of its repository, for its session. */
  readonly sessionPlace: readonly string[];
  /** Asks the code host. Rejects with StepError, and with OwnPush. */
  askToken(signal: AbortSignal): Promise<AskedToken>;
};

export type AskedToken = {
  /** About its end; null where there is nothing to say. */
  readonly warning: string | null;
  /** Null where the token may write it; else one line for the log: what is not written, what it takes, what came, what to do. */
  lackOf(write: Write): string | null;
  /** Why the changes of this job stay in the patch, whatever the token may: one line. Null where they may be pushed. */
  readonly pushRefusal: string | null;
  /** Null, after a line, for a pull request of a fork. Rejects with StepError. */
  openHost(): Promise<JobHost | null>;
};

/** The pipeline of a push by the token's own account. */
export class OwnPush extends StepError {
  override readonly conclusion = "skipped";
}
