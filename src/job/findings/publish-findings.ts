// Publishes the findings of a review: as annotations of the job, or as one review of the pull request with comments at
// its lines.

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
import { CodeHostError } from "../code-host/code-host-error.ts";
import { type JudgedFinding, judgeEarlier } from "./judged-findings.ts";
import { markFindings } from "./marker.ts";
import { type SortedFindings, sortFindings } from "./new-findings.ts";
import type { Published } from "./published.ts";
import { isReviewed, type ReviewedPaths } from "./reviewed-paths.ts";
import type { ReviewPlace, ReviewSubject, ReviewsHost } from "./reviews-host.ts";

const MAX_NAMED_FAULTS = 5;
const NO_REVIEW =
  "The run was asked for a review, but its reply is not one, so there are no findings to publish. Re-run the job, or use " +
  "a service or a model that keeps to a reply's schema.";

export type FindingsOptions = {
  readonly mode: "annotations" | "review";
  /** Findings in other files are left out. */
  readonly reviewed: ReviewedPaths;
  /** The least severe finding that gates. */
  readonly threshold: Severity | null;
  /** The reply as data; null where the run gave none. */
  readonly output: RunReport["output"];
  /** Whether the run was asked for a review. */
  readonly isExpected: boolean;
  readonly subject: ReviewSubject | null;
  readonly host: ReviewsHost;
  readonly run: { readonly id: string; readonly sessionId: string };
};

/**
 * Null where the reply is not a review and earlier reviews have left nothing open. Never rejects: a failure to publish is a
 * warning, and the findings become annotations. Safe to repeat: no finding is published twice.
 */
export async function publishFindings(options: FindingsOptions): Promise<PublishedFindings | null> {
  const { host } = options;
  const { findings, faults, dropped } = readFindings(options.output);
  if (faults.length > 0) host.warn(faultsText(faults, dropped));
  if (findings === null) return await withoutReview(options);
  const found = findings.filter(({ path }) => isReviewed(path, options.reviewed));
  const elsewhere = findings.length - found.length;
  if (elsewhere > 0) {
    host.note(`Left out, in files that ${host.words.pathSettings} exclude: ${plural(elsewhere, "finding")}.`);
  }
  const published = await publishAt(options, await compareWithEarlier(options, found));
  return { ...published, check: await writeCheck(options, published) };
}

/** A reply that is no review closes nothing: what earlier reviews have left is still open. */
async function withoutReview(options: FindingsOptions): Promise<PublishedFindings | null> {
  if (!options.isExpected) return null;
  options.host.warn(NO_REVIEW);
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
  const { host, mode, subject, run, reviewed } = options;
  const onNote = host.note;
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
    const reading = { host, number, headSha, runId: run.id, reviewed, onNote };
    const { published, standing, files } = await readEarlierReviews(reading);
    const { verdicts, faults } = readVerdicts(
      isReview ? options.output : null,
      new Set(standing.map(({ id }) => id)),
    );
    for (const fault of faults) onNote(`An answer on an earlier finding is left out: ${fault}.`);
    const judged = await judgeEarlier(standing, { verdicts, headSha, files, onNote });
    const sorting = { host, found: found ?? [], judged, earlier: published, headSha };
    const isAsked = command !== null;
    const sorted = await sortFindings({ ...sorting, threshold: options.threshold, isAsked });
    return { ...sorted, published, judged, isReview, unread: published.isWhole ? null : tooMany(host) };
  } catch (cause) {
    const what = `The findings of earlier reviews on ${host.words.named(number)} could not be read.`;
    return { ...alone, unread: explain(cause, what, host.words.mayReview) };
  }
}

function tooMany({ words: { pullRequest } }: ReviewsHost): string {
  return (
    `The ${pullRequest} has more comments or reviews than are read, so earlier findings may be missing. Continue in a new ` +
    `${pullRequest}.`
  );
}

async function publishAt(options: FindingsOptions, compared: Compared): Promise<PublishedFindings> {
  const { host } = options;
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
  if (unread !== null) host.warn(unread);
  const mayWrite = options.subject === null || !host.canOnlyRead(options.subject);
  if (fresh.length === 0 && (compared.published === null || !mayWrite)) return none;
  const place = options.mode === "review" ? placeOf(options) : null;
  if (place === null || compared.published === null) return { ...none, annotated: host.annotate(fresh) };
  const closing = { ...place, judged, earlier: compared.published };
  const { closed, unresolved } = await closeEarlier(options, closing);
  try {
    const told = { runId: options.run.id, findings: fresh, repeated: repeated.length, closed };
    const review = await host.publish({ earlier: compared.published, ...told, ...place });
    const isKept = fresh.length === 0 && compared.isReview;
    const kept = isKept ? await remember(options, { ...closing, closed }) : null;
    const { commented, left } = review;
    const reviewUrl = review.url ?? kept;
    return { ...none, unresolved, commented, reviewUrl, annotated: host.annotate(left) };
  } catch (cause) {
    const what = `No review could be written on ${host.words.named(place.number)}.`;
    const why = explain(cause, what, host.words.mayReview);
    host.warn(`${why} The findings are ${host.words.instead} instead.`);
    return { ...none, unresolved, annotated: host.annotate(fresh) };
  }
}

type EarlierClosing = ReviewPlace & {
  readonly judged: readonly JudgedFinding[];
  readonly earlier: Published;
};

/** The markers of what is closed, and how many threads could not be resolved. A fault is a warning. */
async function closeEarlier(
  { host }: FindingsOptions,
  closing: EarlierClosing,
): Promise<{ readonly closed: readonly string[]; readonly unresolved: number }> {
  const { closeThreads, closingMarkers } = await import("./close-findings.ts");
  try {
    const unresolved = await closeThreads({ ...closing, host, onNote: host.note });
    return { closed: closingMarkers(closing), unresolved };
  } catch (cause) {
    const what = `The threads of findings that are fixed or withdrawn could not be closed on ${host.words.named(closing.number)}.`;
    host.warn(explain(cause, what, host.words.mayReview));
    return { closed: [], unresolved: 0 };
  }
}

/** A review without anything new is kept in the one before it, or in one that is made for it. A fault is a warning. */
async function remember(
  { host, run }: FindingsOptions,
  closing: EarlierClosing & { readonly closed: readonly string[] },
): Promise<string | null> {
  const { rememberReview } = await import("./close-findings.ts");
  try {
    return await rememberReview({ ...closing, host, onNote: host.note, runId: run.id });
  } catch (cause) {
    const what = `It could not be kept on ${host.words.named(closing.number)} that this commit was reviewed.`;
    host.warn(explain(cause, what, host.words.mayReview));
    return null;
  }
}

async function writeCheck(
  { host, run, subject, threshold }: FindingsOptions,
  published: PublishedFindings,
): Promise<WrittenCheck | null> {
  if (host.writeCheck === null) return null;
  if (subject !== null && host.canOnlyRead(subject)) {
    host.note(host.words.noCheck);
    return null;
  }
  try {
    return await host.writeCheck({ threshold, runId: run.id, published });
  } catch (cause) {
    host.warn(explain(cause, `No ${host.words.check} could be written.`, host.words.mayCheck));
    return null;
  }
}

/** The pull request and its commit; null, and a line in the log, where there can be no review. */
function placeOf({ subject, host }: FindingsOptions): ReviewPlace | null {
  const { words } = host;
  if (subject === null || !subject.isPullRequest || subject.refs === null) {
    host.note(`This job is about no ${words.pullRequest}: its findings are ${words.instead}.`);
    return null;
  }
  if (host.canOnlyRead(subject)) {
    host.note(words.noReview);
    return null;
  }
  return { number: subject.number, headSha: subject.refs.headSha };
}

function faultsText(faults: readonly string[], dropped: number): string {
  const named = faults.slice(0, MAX_NAMED_FAULTS).join("; ");
  const rest = faults.length > MAX_NAMED_FAULTS ? " And so on." : "";
  return `${plural(dropped, "finding")} of the reply ${dropped === 1 ? "is" : "are"} left out. ${named}.${rest}`;
}

/** `fix` is for a token that lacks a permission. */
function explain(cause: unknown, what: string, fix: string): string {
  const message = cause instanceof Error ? cause.message : "An unknown error.";
  const isDenied = cause instanceof CodeHostError && cause.isDenied;
  return `${what} ${message}${isDenied ? ` ${fix}` : ""}`;
}
