// Publishes the findings of a review: as annotations of the job, or as one review of the pull request with comments at
// its lines.

import type { Environment } from "../../base/environment.ts";
import { filesUrl } from "../../render/blob-url.ts";
import { plural } from "../../render/quantities.ts";
import { readVerdicts } from "../../report/earlier-verdicts.ts";
import {
  type Finding,
  type PublishedFindings,
  readFindings,
  type Severity,
  type WrittenCheck,
  worstOf,
} from "../../report/findings.ts";
import type { RunReport } from "../../report/run-report.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { jobPage, repositoryPage } from "../api/pages.ts";
import { canOnlyRead } from "../api/read-only.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";
import { type Annotator, annotate, harmless } from "./annotations.ts";
import { type JudgedFinding, judgeEarlier } from "./judged-findings.ts";
import { markFindings } from "./marker.ts";
import { type SortedFindings, sortFindings } from "./new-findings.ts";
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
  } | null;
  /** The least severe finding that gates. */
  readonly threshold: Severity | null;
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
  const published = await publishAt(options, await compareWithEarlier(options, found));
  return { ...published, check: await writeCheck(options, published) };
}

/** A reply that is no review closes nothing: what earlier reviews have left is still open. */
async function withoutReview(options: FindingsOptions): Promise<PublishedFindings | null> {
  if (!options.isExpected) return null;
  options.annotator.warning(NO_REVIEW);
  const compared = await compareWithEarlier(options, null);
  if (!compared.judged.some(({ state }) => state === "open") && compared.unread === null) return null;
  const published = await publishAt(options, compared);
  return { ...published, check: await writeCheck(options, published) };
}

/** A review beside the earlier ones. */
type Compared = SortedFindings & {
  /** Null where there is no pull request, or where it could not be read. */
  readonly published: Published | null;
  readonly judged: readonly JudgedFinding[];
  readonly unread: string | null;
  /** False where the reply is none: then nothing was reviewed. */
  readonly isReview: boolean;
};

/** Only a review is published where later ones find it. `found` is null where the reply is no review. */
async function compareWithEarlier(
  options: FindingsOptions,
  found: readonly Finding[] | null,
): Promise<Compared> {
  const { api, mode, subject, run, reviewed, onNote } = options;
  const isReview = found !== null;
  const fresh = markFindings(found ?? []);
  const alone = {
    fresh,
    repeated: [],
    dismissed: [],
    late: [],
    minor: [],
    published: null,
    judged: [],
    isReview,
  };
  if (mode !== "review" || subject === null || !subject.isPullRequest || subject.refs === null)
    return { ...alone, unread: null };
  const { number, refs, command } = subject;
  const { headSha } = refs;
  try {
    const { readEarlierReviews } = await import("./earlier-reviews.ts");
    const reading = { api, number, headSha, runId: run.id, reviewed, onNote };
    const { published, standing, files } = await readEarlierReviews(reading);
    const { verdicts, faults } = readVerdicts(
      isReview ? options.output : null,
      new Set(standing.map(({ id }) => id)),
    );
    for (const fault of faults) onNote(`An answer on an earlier finding is left out: ${fault}.`);
    const judged = await judgeEarlier(standing, { verdicts, headSha, files, onNote });
    const sorting = { api, found: found ?? [], judged, earlier: published, headSha };
    const isAsked = command !== null;
    const sorted = await sortFindings({ ...sorting, threshold: options.threshold, isAsked });
    return { ...sorted, published, judged, isReview, unread: published.isWhole ? null : TOO_MANY };
  } catch (cause) {
    const what = `The findings of earlier reviews on #${number} could not be read.`;
    return { ...alone, unread: explain(cause, { what, permission: "pull-requests: write" }) };
  }
}

const TOO_MANY =
  "The pull request has more comments or reviews than are read, so earlier findings may be missing. Continue in a new " +
  "pull request.";

async function publishAt(options: FindingsOptions, compared: Compared): Promise<PublishedFindings> {
  const { annotator } = options;
  const { fresh, repeated, dismissed, late, minor, judged, unread } = compared;
  const open = judged.filter(({ state }) => state === "open").map(({ now }) => now);
  const count = (wanted: JudgedFinding["state"]) => judged.filter(({ state }) => state === wanted).length;
  const none: PublishedFindings = {
    fresh,
    worst: worstOf([...fresh, ...repeated, ...open]),
    annotated: 0,
    commented: 0,
    repeated: repeated.length,
    dismissed: dismissed.length,
    late,
    minor: minor.length,
    open,
    closed: { fixed: count("fixed"), declined: count("declined"), withdrawn: count("withdrawn") },
    unresolved: 0,
    unread,
    reviewUrl: null,
    check: null,
  };
  if (unread !== null) annotator.warning(harmless(unread));
  const mayWrite = options.subject === null || !canOnlyRead(options.subject, options.env);
  if (fresh.length === 0 && (compared.published === null || !mayWrite)) return none;
  const place = options.mode === "review" ? placeOf(options) : null;
  if (place === null || compared.published === null)
    return { ...none, annotated: annotate(fresh, annotator) };
  const closing = { ...place, judged, earlier: compared.published };
  const { closed, unresolved } = await closeEarlier(options, closing);
  try {
    const { reviewPullRequest } = await import("./pull-review.ts");
    const { api, run } = options;
    const told = { runId: run.id, findings: fresh, repeated: repeated.length, closed };
    const review = await reviewPullRequest({ api, earlier: compared.published, ...told, ...place });
    const isKept = fresh.length === 0 && compared.isReview;
    const kept = isKept ? await remember(options, { ...closing, closed }) : null;
    const { commented, left } = review;
    const reviewUrl = review.url ?? kept;
    return { ...none, unresolved, commented, reviewUrl, annotated: annotate(left, annotator) };
  } catch (cause) {
    const what = `No review could be written on #${place.number}.`;
    const why = explain(cause, { what, permission: "pull-requests: write" });
    annotator.warning(harmless(`${why} The findings are annotations instead.`));
    return { ...none, unresolved, annotated: annotate(fresh, annotator) };
  }
}

type EarlierClosing = ReviewTarget & {
  readonly judged: readonly JudgedFinding[];
  readonly earlier: Published;
};

/** The markers of what is closed, and how many threads could not be resolved. A fault is a warning. */
async function closeEarlier(
  { api, annotator, onNote }: FindingsOptions,
  closing: EarlierClosing,
): Promise<{ readonly closed: readonly string[]; readonly unresolved: number }> {
  const { closeThreads, closingMarkers } = await import("./close-findings.ts");
  try {
    const unresolved = await closeThreads({ ...closing, api, onNote });
    return { closed: closingMarkers(closing), unresolved };
  } catch (cause) {
    const what = `The threads of findings that are fixed or withdrawn could not be closed on #${closing.number}.`;
    annotator.warning(harmless(explain(cause, { what, permission: "pull-requests: write" })));
    return { closed: [], unresolved: 0 };
  }
}

/** A review without anything new is kept in the one before it, or in one that is made for it. A fault is a warning. */
async function remember(
  { api, annotator, onNote, run }: FindingsOptions,
  closing: EarlierClosing & { readonly closed: readonly string[] },
): Promise<string | null> {
  const { rememberReview } = await import("./close-findings.ts");
  try {
    return await rememberReview({ ...closing, api, onNote, runId: run.id });
  } catch (cause) {
    const what = `It could not be kept on #${closing.number} that this commit was reviewed.`;
    annotator.warning(harmless(explain(cause, { what, permission: "pull-requests: write" })));
    return null;
  }
}

async function writeCheck(
  { api, checkRun, run, subject, env, annotator, onNote, threshold }: FindingsOptions,
  published: PublishedFindings,
): Promise<WrittenCheck | null> {
  if (checkRun === null) return null;
  if (subject !== null && canOnlyRead(subject, env)) {
    onNote("The job of a fork's pull request can write no check run.");
    return null;
  }
  try {
    const { writeCheckRun } = await import("./check-run.ts");
    const jobUrl = jobPage(env, api.repository);
    return await writeCheckRun({ ...checkRun, threshold, api, runId: run.id, jobUrl, published });
  } catch (cause) {
    const why = explain(cause, { what: "No check run could be written.", permission: "checks: write" });
    annotator.warning(harmless(why));
    return null;
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
