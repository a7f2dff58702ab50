// Publishes the findings of a review: as annotations of the job, or as one review of the pull request with comments at
// its lines.

import type { Environment } from "../../base/environment.ts";
import { filesUrl } from "../../render/blob-url.ts";
import { plural } from "../../render/quantities.ts";
import {
  type Finding,
  type PublishedFindings,
  readFindings,
  type Severity,
  worstOf,
} from "../../report/findings.ts";
import type { RunReport } from "../../report/run-report.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { jobPage, repositoryPage } from "../api/pages.ts";
import { canOnlyRead } from "../api/read-only.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";
import { type Annotator, annotate, harmless } from "./annotations.ts";
import type { EarlierFindings } from "./open-findings.ts";
import type { Published } from "./published.ts";
import { isReviewed, type ReviewedPaths } from "./reviewed-paths.ts";

const MAX_NAMED_FAULTS = 5;
const NO_REVIEW =
  "The run was asked for a review, but its reply is not one, so there are no findings to publish. Re-run the job, or use " +
  "a service or a model that keeps to a reply's schema.";

export type FindingsOptions = {
  readonly mode: "annotations" | "review";
  /** Findings in other files are left out. */
  readonly reviewed: ReviewedPaths;
  /** Null: no check run. */
  readonly checkRun: {
    readonly name: string;
    readonly headSha: string;
    readonly threshold: Severity | null;
  } | null;
  /** The reply as data; null where the run gave none. */
  readonly output: RunReport["output"];
  /** Whether the run was asked for a review. */
  readonly isExpected: boolean;
  readonly subject: RequestSubject | null;
  readonly api: GitHubApi;
  readonly env: Environment;
  readonly run: { readonly id: string; readonly sessionId: string };
  readonly annotator: Annotator;
  readonly onNote: (note: string) => void;
};

/**
 * Null where the reply is not a review and earlier reviews have left nothing open. Never rejects: a failure to publish is a
 * warning, and the findings become annotations. Safe to repeat: no finding is published twice.
 */
export async function publishFindings(options: FindingsOptions): Promise<PublishedFindings | null> {
  const { annotator } = options;
  const { findings, faults, dropped } = readFindings(options.output);
  if (faults.length > 0) annotator.warning(faultsText(faults, dropped));
  if (findings === null) return await withoutReview(options);
  const found = findings.filter(({ path }) => isReviewed(path, options.reviewed));
  const elsewhere = findings.length - found.length;
  if (elsewhere > 0) {
    options.onNote(
      `Left out, in files that "paths" and "ignore-paths" exclude: ${plural(elsewhere, "finding")}.`,
    );
  }
  const published = await publishAt(options, { found, earlier: await readEarlier(options, found) });
  await writeCheck(options, { found, published });
  return published;
}

/** A reply that is no review closes nothing: what earlier reviews have left is still open. */
async function withoutReview(options: FindingsOptions): Promise<PublishedFindings | null> {
  if (!options.isExpected) return null;
  options.annotator.warning(NO_REVIEW);
  const earlier = await readEarlier(options, []);
  if (earlier.open.length === 0 && earlier.unread === null) return null;
  const published = await publishAt(options, { found: [], earlier });
  await writeCheck(options, { found: [], published });
  return published;
}

type Earlier = EarlierFindings & {
  /** Null where there is no pull request, or where it could not be read. */
  readonly published: Published | null;
  readonly unread: string | null;
};

const NOTHING_EARLIER: Earlier = { published: null, open: [], dismissed: new Set(), unread: null };

/** Only a review is published where later ones find it. */
async function readEarlier(options: FindingsOptions, findings: readonly Finding[]): Promise<Earlier> {
  const { api, mode, subject, run, reviewed, onNote } = options;
  if (mode !== "review" || subject === null || !subject.isPullRequest || subject.refs === null)
    return NOTHING_EARLIER;
  const { number, refs } = subject;
  try {
    const { readPublished } = await import("./published.ts");
    const { settleEarlier } = await import("./open-findings.ts");
    const published = await readPublished(api, { number, runId: run.id });
    const settling = { api, number, headSha: refs.headSha, findings, reviewed, onNote };
    const settled = await settleEarlier(published, settling);
    return { ...settled, published, unread: published.isWhole ? null : TOO_MANY };
  } catch (cause) {
    const what = `The findings of earlier reviews on #${number} could not be read.`;
    return { ...NOTHING_EARLIER, unread: explain(cause, { what, permission: "pull-requests: write" }) };
  }
}

const TOO_MANY =
  "The pull request has more comments or reviews than are read, so earlier findings may be missing. Continue in a new " +
  "pull request.";

async function publishAt(
  options: FindingsOptions,
  { found, earlier }: { readonly found: readonly Finding[]; readonly earlier: Earlier },
): Promise<PublishedFindings> {
  const { annotator } = options;
  const { open, dismissed, unread } = earlier;
  const counted = found.filter((finding) => !dismissed.has(finding));
  const none: PublishedFindings = {
    worst: worstOf([...counted, ...open]),
    found: found.length,
    annotated: 0,
    commented: 0,
    repeated: 0,
    dismissed: dismissed.size,
    open,
    unread,
    reviewUrl: null,
  };
  if (unread !== null) annotator.warning(harmless(unread));
  if (counted.length === 0) return none;
  const place = options.mode === "review" ? placeOf(options) : null;
  if (place === null || earlier.published === null)
    return { ...none, annotated: annotate(counted, annotator) };
  try {
    const { reviewPullRequest } = await import("./pull-review.ts");
    const { api, run } = options;
    const reviewing = { api, runId: run.id, findings: counted, earlier: earlier.published, ...place };
    const { commented, repeated, url: reviewUrl, left } = await reviewPullRequest(reviewing);
    return { ...none, commented, repeated, reviewUrl, annotated: annotate(left, annotator) };
  } catch (cause) {
    const what = `No review could be written on #${place.number}.`;
    const why = explain(cause, { what, permission: "pull-requests: write" });
    annotator.warning(harmless(`${why} The findings are annotations instead.`));
    return { ...none, annotated: annotate(counted, annotator) };
  }
}

async function writeCheck(
  { api, checkRun, run, subject, env, annotator, onNote }: FindingsOptions,
  { found, published }: { found: readonly Finding[]; published: PublishedFindings },
): Promise<void> {
  if (checkRun === null) return;
  if (subject !== null && canOnlyRead(subject, env)) {
    return onNote("The job of a fork's pull request can write no check run.");
  }
  try {
    const { writeCheckRun } = await import("./check-run.ts");
    const jobUrl = jobPage(env, api.repository);
    await writeCheckRun({ ...checkRun, api, runId: run.id, jobUrl, findings: found, published });
  } catch (cause) {
    const why = explain(cause, { what: "No check run could be written.", permission: "checks: write" });
    annotator.warning(harmless(why));
  }
}

type ReviewTarget = { readonly number: number; readonly headSha: string; readonly filesUrl: string };

/** The pull request and its commit; null, and a line in the log, where there can be no review. */
function placeOf({ subject, api, env, onNote }: FindingsOptions): ReviewTarget | null {
  if (subject === null || !subject.isPullRequest || subject.refs === null) {
    onNote("This job is about no pull request: its findings are annotations.");
    return null;
  }
  if (canOnlyRead(subject, env)) {
    onNote("The job of a fork's pull request can write no review: its findings are annotations.");
    return null;
  }
  const { headSha } = subject.refs;
  const repositoryUrl = repositoryPage(env, api.repository);
  return { number: subject.number, headSha, filesUrl: filesUrl({ repositoryUrl }, headSha) };
}

function faultsText(faults: readonly string[], dropped: number): string {
  const named = faults.slice(0, MAX_NAMED_FAULTS).join("; ");
  const rest = faults.length > MAX_NAMED_FAULTS ? " And so on." : "";
  return harmless(
    `${plural(dropped, "finding")} of the reply ${dropped === 1 ? "is" : "are"} left out. ${named}.${rest}`,
  );
}

function explain(
  cause: unknown,
  { what, permission }: { readonly what: string; readonly permission: string },
): string {
  const message = cause instanceof Error ? cause.message : "An unknown error.";
  const isDenied = cause instanceof GitHubError && [401, 403, 404].includes(cause.status ?? 0);
  const fix = isDenied ? ` Give the job "permissions: ${permission}".` : "";
  return `${what} ${message}${fix}`;
}
