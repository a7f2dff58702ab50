// Findings of earlier reviews that are still open: their lines are as they were, and no person with write access has resolved
// their thread or hidden their review. What cannot be told counts as open.
// Why: docs/decisions/099-a-finding-stays-open.md

import { type Finding, type OpenFinding, severities } from "../../report/findings.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { type FileHistory, fileHistory } from "./file-history.ts";
import { addsLines, linesOf, placeNow } from "./line-places.ts";
import { type MarkedFinding, markFindings } from "./marker.ts";
import type { Published, PublishedFinding } from "./published.ts";
import { readHiddenReviews, readResolvedThreads } from "./resolved-threads.ts";
import { isReviewed, type ReviewedPaths } from "./reviewed-paths.ts";

export type OpenFindingsOptions = {
  readonly api: GitHubApi;
  readonly number: number;
  /** The commit that is reviewed now. */
  readonly headSha: string;
  /** Findings of this review. */
  readonly findings: readonly Finding[];
  /** Findings in other files are another review's. */
  readonly reviewed: ReviewedPaths;
  readonly onNote: (note: string) => void;
};

export type EarlierFindings = {
  /** Without those that this review found again. */
  readonly open: readonly OpenFinding[];
  /** Findings of this review that a person has settled, at lines that are as they were. */
  readonly dismissed: ReadonlySet<Finding>;
};

type Standing = { readonly now: OpenFinding; readonly marker: string };

/** Rejects only with the signal's reason. Safe to repeat. */
export async function settleEarlier(
  earlier: Published,
  options: OpenFindingsOptions,
): Promise<EarlierFindings> {
  const { api, headSha, reviewed } = options;
  const files = fileHistory(api, headSha);
  const standing: { finding: PublishedFinding; now: OpenFinding }[] = [];
  for (const finding of earlier.findings.filter(({ path }) => isReviewed(path, reviewed))) {
    const now = finding.sha === headSha ? finding : await whereNow(finding, files);
    if (now !== null) standing.push({ finding, now });
  }
  const settled = await readSettled(
    standing.map(({ finding }) => finding),
    options,
  );
  const isSettled = ({ finding }: { finding: PublishedFinding }) => settled.has(finding.url);
  const stands = ({ finding, now }: (typeof standing)[number]): Standing => ({ now, marker: finding.marker });
  const closed = standing.filter(isSettled).map(stands);
  const open = standing.filter((one) => !isSettled(one)).map(stands);
  const found = markFindings(options.findings);
  const isDismissed = (finding: MarkedFinding) =>
    closed.some((one) => saysAgain(finding, one) && !isWorse(finding, one)) &&
    !open.some((one) => saysAgain(finding, one));
  const dismissed = new Set(
    options.findings.filter((_, index) => {
      const marked = found[index];
      return marked !== undefined && isDismissed(marked);
    }),
  );
  return {
    open: open
      .filter((one) => !found.some((finding) => saysAgain(finding, one) && rank(finding) <= rank(one.now)))
      .map(({ now }) => now),
    dismissed,
  };
}

/** By its words, or at its lines. */
function saysAgain(finding: MarkedFinding, { now, marker }: Standing): boolean {
  const overlaps = finding.startLine <= now.line && now.startLine <= finding.line;
  return finding.path === now.path && (finding.marker === marker || overlaps);
}

function isWorse(finding: Finding, { now }: Standing): boolean {
  return rank(finding) < rank(now);
}

/** 0 is the most severe. */
function rank({ severity }: Pick<Finding, "severity">): number {
  return severities.indexOf(severity);
}

/** Null where its lines have changed, or are gone. */
async function whereNow(finding: PublishedFinding, files: FileHistory): Promise<OpenFinding | null> {
  const { path, startLine, line, severity, title, url, sha } = finding;
  const asItWas = { path, startLine, line, severity, title, url };
  const versions = await files.versions(path, sha);
  if (versions === null) return asItWas;
  const { before, after } = versions;
  const place = after === null ? null : placeNow({ before, after }, finding);
  if (place !== null) return { ...asItWas, path: versions.path, startLine: place.first, line: place.last };
  const text = linesOf(before).slice(startLine - 1, line);
  const changes = await files.compare(sha);
  const hasMoved = changes?.patches.some((patch) => addsLines(patch, text)) ?? false;
  return hasMoved ? asItWas : null;
}

/** The addresses of settled threads and reviews. Asks only where there are some that could be. */
async function readSettled(
  findings: readonly PublishedFinding[],
  { api, number, onNote }: OpenFindingsOptions,
): Promise<ReadonlySet<string>> {
  const tell = (cause: unknown): ReadonlySet<string> => {
    if (!(cause instanceof GitHubError)) throw cause;
    onNote(
      `It could not be read which findings people have resolved: those at unchanged lines count as open. ${cause.message}`,
    );
    return new Set();
  };
  const threads = findings.some(({ hasThread }) => hasThread)
    ? await readResolvedThreads(api, number).catch(tell)
    : [];
  const reviews = findings.some(({ hasThread }) => !hasThread)
    ? await readHiddenReviews(api, number).catch(tell)
    : [];
  return new Set([...threads, ...reviews]);
}
