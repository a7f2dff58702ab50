// The surroundings in which typed outputs are written, and the refusals that come of them.

import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import type { TypedOutput, TypedOutputs } from "../../contract/runs/typed-outputs.ts";
import type { OutputSubject } from "../../job/outputs/applicable-outputs.ts";
import type { WrittenOutput } from "../../report/written-outputs.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";

export type OutputsOptions = {
  readonly api: GitHubApi;
  readonly env: Environment;
  readonly job: CiJob;
  readonly declared: TypedOutputs;
  /** What the run asked for. Untrusted. */
  readonly asked: readonly TypedOutput[];
  /** What the job is about; `number` is null where it is about nothing. */
  readonly subject: { readonly type: OutputSubject; readonly number: number | null };
  /** The same for each attempt at the same job. */
  readonly runKey: string;
  /** When the run began, in milliseconds since the epoch. */
  readonly startedAtMs: number;
};

/** The output was not written. The message is for people: why, and what to do. */
export class NotWritten extends Error {
  override readonly name = "NotWritten";
}

export type Write = () => Promise<WrittenOutput>;

/** Awaits one call, and says which permission it lacks. */
export async function permitted<Answer>(permission: string, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (cause) {
    if (!(cause instanceof GitHubError)) throw cause;
    throw new NotWritten(`${cause.message} ${adviceOn(cause, permission)}`, { cause });
  }
}

function adviceOn({ status, code }: GitHubError, permission: string): string {
  if (status === 403 || status === 404 || status === 401)
    return `Add "${permission}: write" to the "permissions:" of this job, then re-run it.`;
  return code === "code_host_unavailable" ? "Re-run the job." : "Write it by hand.";
}
