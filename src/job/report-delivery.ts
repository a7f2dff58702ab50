// The report of what a job did with the results of its run, sent to the service once everything is written. It never fails a job.
// Why: docs/decisions/155-the-job-reports-what-it-delivered.md

import type { Clock } from "../base/clock.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { ClientError } from "../client/errors.ts";
import type { DeliveryReport } from "../contract/runs/delivery.ts";
import type { Delivery } from "../report/delivery.ts";
import type { PublishedFindings } from "../report/findings.ts";
import { type Ending, endingTitle } from "./ending.ts";

/** The job's end waits for it. */
const WAIT_MS = 5_000;
/** As the contract has them, whose schemas are not to load here. */
const MAX_TITLE_CHARS = 300;
const MAX_BRANCH_CHARS = 255;
const MAX_URL_CHARS = 2_000;
/** There is no such route, or the run's events are gone. */
const SILENT: readonly number[] = [404, 410];

/** Where it wrote beside what an ending knows. */
type WrittenPlaces = {
  readonly commentUrl: string | null;
  /** The pull request that was reviewed, by reviews that know the ones before. Null: there was none. */
  readonly reviewed: number | null;
};

/**
 * Sends it, within five seconds. Does nothing where the job has seen no end of a run of a service that outlives it. Rejects, once,
 * with what hindered it; an older service hinders nothing.
 */
export async function reportDelivery(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  ending: Ending,
  places: WrittenPlaces,
): Promise<void> {
  const { progress, outcome } = ending;
  if (outcome.type !== "ended" || progress.phase !== "following" || progress.service.type !== "remote")
    return;
  const isSent = new AbortController();
  const isLate = new AbortController();
  void clock.sleep(WAIT_MS, isSent.signal).then(
    () => isLate.abort(new Error(`The service did not answer within ${WAIT_MS / 1000} seconds.`)),
    () => {},
  );
  try {
    await progress.client.ci.reportDelivery({
      runId: progress.run.id,
      body: reportOf(ending, places),
      signal: AbortSignal.any([signal, isLate.signal]),
    });
  } catch (error) {
    if (!isOlder(error)) throw error;
  } finally {
    isSent.abort();
  }
}

/** Whoever answers without JSON, such as a proxy in between, has no such route either. */
function isOlder(error: unknown): boolean {
  return ClientError.is(error) && "status" in error && SILENT.some((status) => status === error.status);
}

/** What does not fit, and what is no address of the web, is left out. */
function reportOf(ending: Ending, { commentUrl, reviewed }: WrittenPlaces): DeliveryReport {
  const { verdict, delivery, findings } = ending;
  return {
    conclusion: verdict.conclusion,
    title: singleLine(endingTitle(ending).text, MAX_TITLE_CHARS),
    ...deliveredOf(delivery),
    ...(isLinkable(commentUrl) ? { comment_url: commentUrl } : {}),
    ...checkOf(findings),
    ...(findings === null || findings.unread !== null || reviewed === null
      ? {}
      : { findings: { pull_request: reviewed, ...countsOf(findings) } }),
  };
}

function deliveredOf(delivery: Delivery | null): Pick<DeliveryReport, "pushed" | "pull_request"> {
  if (delivery?.type !== "commit" && delivery?.type !== "pull_request") return {};
  const { branch, sha, url } = delivery;
  const commit = delivery.type === "commit" && isLinkable(url) ? { url } : {};
  return {
    ...(branch.length > MAX_BRANCH_CHARS ? {} : { pushed: { branch, sha, ...commit } }),
    ...(delivery.type === "pull_request" && isLinkable(url)
      ? { pull_request: { number: delivery.number, url } }
      : {}),
  };
}

function checkOf(findings: PublishedFindings | null): Pick<DeliveryReport, "check_run"> {
  const check = findings?.check ?? null;
  return check !== null && isLinkable(check.url)
    ? { check_run: { url: check.url, conclusion: check.conclusion } }
    : {};
}

function countsOf({ fresh, open, closed }: PublishedFindings) {
  const { fixed, declined, withdrawn } = closed;
  return { new: fresh.length, open: open.length, fixed, declined, withdrawn };
}

function isLinkable(url: string | null): url is string {
  if (url === null || url.length > MAX_URL_CHARS || /[^!-~]/.test(url) || !URL.canParse(url)) return false;
  return new URL(url).protocol === "https:";
}
