// Publishes the findings of a review: as annotations of the job, or as one review of the pull request with comments at
// its lines.

import type { Environment } from "../../ci/provider.ts";
import { plural } from "../../render/quantities.ts";
import { type PublishedFindings, readFindings } from "../../report/findings.ts";
import type { RunReport } from "../../report/run-report.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { canOnlyRead } from "../api/read-only.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";
import { type Annotator, annotate, harmless } from "./annotations.ts";

const MAX_NAMED_FAULTS = 5;
const NO_REVIEW =
  "The run was asked for a review, but its reply is not one, so there are no findings to publish. Re-run the job, or use " +
  "a service or a model that keeps to a reply's schema.";

export type FindingsOptions = {
  readonly mode: "annotations" | "review";
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
 * Null where the reply is not a review. Never rejects: a failure to publish is a warning, and the findings become
 * annotations. Safe to repeat: no finding is published twice.
 */
export async function publishFindings(options: FindingsOptions): Promise<PublishedFindings | null> {
  const { annotator } = options;
  const { findings, faults, dropped } = readFindings(options.output);
  if (faults.length > 0) annotator.warning(faultsText(faults, dropped));
  if (findings === null) {
    if (options.isExpected) annotator.warning(NO_REVIEW);
    return null;
  }
  const found = findings;
  const none: PublishedFindings = {
    found: found.length,
    annotated: 0,
    commented: 0,
    repeated: 0,
    reviewUrl: null,
  };
  if (found.length === 0) return none;
  const place = options.mode === "review" ? placeOf(options) : null;
  if (place === null) return { ...none, annotated: annotate(found, annotator) };
  try {
    const { reviewPullRequest } = await import("./pull-review.ts");
    const { api, run } = options;
    const review = await reviewPullRequest({ api, runId: run.id, findings: found, ...place });
    const { commented, repeated, url: reviewUrl, left } = review;
    return { ...none, commented, repeated, reviewUrl, annotated: annotate(left, annotator) };
  } catch (cause) {
    annotator.warning(harmless(explain(cause, place.number)));
    return { ...none, annotated: annotate(found, annotator) };
  }
}

type Place = { readonly number: number; readonly headSha: string; readonly filesUrl: string };

/** The pull request and its commit; null, and a line in the log, where there can be no review. */
function placeOf({ subject, api, env, onNote }: FindingsOptions): Place | null {
  if (subject === null || !subject.isPullRequest || subject.refs === null) {
    onNote("This job is about no pull request: its findings are annotations.");
    return null;
  }
  if (canOnlyRead(subject, env)) {
    onNote("The job of a fork's pull request can write no review: its findings are annotations.");
    return null;
  }
  const { headSha } = subject.refs;
  const filesUrl = `${env.GITHUB_SERVER_URL ?? "https://github.com"}/${api.repository}/blob/${headSha}`;
  return { number: subject.number, headSha, filesUrl };
}

function faultsText(faults: readonly string[], dropped: number): string {
  const named = faults.slice(0, MAX_NAMED_FAULTS).join("; ");
  const rest = faults.length > MAX_NAMED_FAULTS ? " And so on." : "";
  return harmless(
    `${plural(dropped, "finding")} of the reply ${dropped === 1 ? "is" : "are"} left out. ${named}.${rest}`,
  );
}

function explain(cause: unknown, number: number): string {
  const message = cause instanceof Error ? cause.message : "An unknown error.";
  const isDenied = cause instanceof GitHubError && [401, 403, 404].includes(cause.status ?? 0);
  const fix = isDenied ? ' Give the job "permissions: pull-requests: write".' : "";
  return `No review could be written on #${number}. ${message}${fix} The findings are annotations instead.`;
}
