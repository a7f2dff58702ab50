// Lines of a job's log that the Action and the command have in common. Pure.

import type { RetryNotice } from "../base/backoff.ts";
import { ApiError } from "../client/errors.ts";
import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import type { JobService } from "./job-types.ts";
import type { JobWords } from "./job-words.ts";
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

/** Why the account that the job names changes nothing; null where it names none, or the agent is the account's. */
export function claimWarning(
  service: JobService,
  { claim }: ExchangeResponse,
  words: JobWords,
): string | null {
  if (service.type === "embedded" || service.account === null) return null;
  const setting = words.setting("account");
  if (claim === "none")
    return `${setting} has no effect: this account has made no claim of this repository. It opens the claim link first, which "doctor" prints.`;
  if (claim !== "refused_event") return null;
  return `${setting} has no effect in this job: only one that a writer starts, as by a push, accepts a claim.`;
}

/** One or two lines by which a reader of the log finds the run. */
export function runLines({ id, url, attached, continuedAfter }: JobRun): readonly string[] {
  const name = attached ? `Attached to run ${id} that was started earlier.` : `Run ${id}`;
  if (continuedAfter !== null) {
    const continued = `${name} goes on where it was parked. What it did before is in the log of the job that followed it then.`;
    return url === null ? [continued] : [continued, `Follow it at ${url}`];
  }
  return url === null ? [name] : [name, `Follow it at ${url}`];
}
