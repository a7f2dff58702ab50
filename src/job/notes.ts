// Lines of a job's log that the Action and the command have in common. Pure.

import { ApiError } from "../client/errors.ts";
import type { RetryNotice } from "../client/retry.ts";
import type { JobRun } from "./progress.ts";

export function retryNote({ attempt, delayMs, error }: RetryNotice): string {
  const answered =
    error instanceof ApiError ? `${error.call} answered ${error.status} (request ${error.requestId}): ` : "";
  const wait = `Trying again in ${(delayMs / 1000).toFixed(1)} s.`;
  return `Attempt ${attempt} failed: ${answered}${error.message} ${wait}`.replace(/\s+/g, " ");
}

/** Null for https, for loopback, and for a name without a dot: a container beside the job. */
export function plainHttpWarning(baseUrl: string): string | null {
  const { protocol, hostname } = new URL(baseUrl);
  const isNear = hostname === "[::1]" || hostname.startsWith("127.") || !hostname.includes(".");
  if (protocol !== "http:" || isNear) return null;
  return "The service's base URL is plain http: anybody on the network path can read the job's tokens. Use https.";
}

/** One or two lines by which a reader of the log finds the run. */
export function runLines({ id, url, attached }: JobRun): readonly string[] {
  const name = attached ? `Attached to run ${id} that was started earlier.` : `Run ${id}`;
  return url === null ? [name] : [name, `Follow it at ${url}`];
}
