// What a review found, put where a reader meets it: annotations of the job, and one review of the pull request with
// comments on its lines.

import { sayLine } from "../../action/say-line.ts";
import type { Environment } from "../../ci/provider.ts";
import { plural } from "../../render/quantities.ts";
import { type PublishedFindings, readFindings } from "../../report/findings.ts";
import type { RunReport } from "../../report/run-report.ts";
import { type GitHubApi, GitHubError } from "../api/github-api.ts";
import { canOnlyRead } from "../api/read-only.ts";
import type { Talk } from "../trigger/agent-request.ts";
import { annotate, harmless } from "./annotations.ts";

const MAX_NAMED_FAULTS = 5;
const NO_REVIEW =
  "The run was asked for a review, and its reply is none: nobody knows what there is to find. Re-run the job, or ask " +
  "a service or a model that keeps to the form of a reply.";

export type FindingsOptions = {
  readonly mode: "annotations" | "review";
  /** The reply as data; null where the run gave none. */
  readonly output: RunReport["output"];
  /** Whether it was asked for. */
  readonly isExpected: boolean;
  readonly talk: Talk | null;
  readonly api: GitHubApi;
  readonly env: Environment;
  readonly run: { readonly id: string; readonly sessionId: string };
  readonly onWarning: (message: string) => void;
};

/**
 * Null where the reply is no review: that it has found nothing is not said. Never rejects: what cannot be published is
 * warned of. Safe to repeat: no review says a thing twice.
 */
export async function publishFindings(options: FindingsOptions): Promise<PublishedFindings | null> {
  const { findings, faults, dropped } = readFindings(options.output);
  if (faults.length > 0) options.onWarning(faultsText(faults, dropped));
  if (findings === null) {
    if (options.isExpected) options.onWarning(NO_REVIEW);
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
  if (place === null) return { ...none, annotated: annotate(found) };
  try {
    const { reviewPullRequest } = await import("./pull-review.ts");
    const { api, run } = options;
    const review = await reviewPullRequest({ api, runId: run.id, findings: found, ...place });
    const { commented, repeated, url: reviewUrl, left } = review;
    return { ...none, commented, repeated, reviewUrl, annotated: annotate(left) };
  } catch (cause) {
    options.onWarning(harmless(explain(cause, place.number)));
    return { ...none, annotated: annotate(found) };
  }
}

type Place = { readonly number: number; readonly headSha: string; readonly filesUrl: string };

/** The pull request and its commit; null, and a line in the log, where there can be no review. */
function placeOf({ talk, api, env }: FindingsOptions): Place | null {
  if (talk === null || !talk.thread.isPullRequest || talk.ends === null) {
    sayLine("This job is about no pull request: its findings are annotations.");
    return null;
  }
  if (canOnlyRead(talk, env)) {
    sayLine("The job of a fork's pull request can write no review: its findings are annotations.");
    return null;
  }
  const { headSha } = talk.ends;
  const filesUrl = `${env.GITHUB_SERVER_URL ?? "https://github.com"}/${api.repository}/blob/${headSha}`;
  return { number: talk.thread.number, headSha, filesUrl };
}

function faultsText(faults: readonly string[], dropped: number): string {
  const named = faults.slice(0, MAX_NAMED_FAULTS).join("; ");
  const rest = faults.length > MAX_NAMED_FAULTS ? " And so on." : "";
  return harmless(
    `${plural(dropped, "finding")} of the reply ${dropped === 1 ? "is" : "are"} left out. ${named}.${rest}`,
  );
}

function explain(cause: unknown, number: number): string {
  const message = cause instanceof Error ? cause.message : "An unknown fault.";
  const isDenied = cause instanceof GitHubError && [401, 403, 404].includes(cause.status ?? 0);
  const fix = isDenied ? ' Give the job "permissions: pull-requests: write".' : "";
  return `No review could be written on #${number}. ${message}${fix} The findings are annotations instead.`;
}
