// The refusals of GitHub's API as those of an output: with the permission to add.

import { NotWritten } from "../../job/outputs/outputs-host.ts";
import { GitHubError } from "../api/github-error.ts";

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
