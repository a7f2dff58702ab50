// Text for a review about the ones before it: their findings with what people answered, and what has changed since.

import { excerpt } from "../../base/bounded-text.ts";
import { singleLine } from "../../base/untrusted-text.ts";
import { placeOf, type Severity } from "../../report/findings.ts";
import { readEarlierReviews } from "./earlier-reviews.ts";
import { roundOf } from "./new-findings.ts";
import type { ThreadReply } from "./published.ts";
import { isReviewed, type ReviewedPaths } from "./reviewed-paths.ts";
import type { Comparison, ReviewsReader } from "./reviews-host.ts";
import { hasWriteAccess, type StandingFinding } from "./standing-findings.ts";

/** A reply is untrusted, whoever wrote it. */
type RememberedReply = ThreadReply & { readonly mayWrite: boolean };

export type RememberedFinding = {
  readonly id: string;
  readonly state: "open" | "declined";
  readonly severity: Severity;
  /** The commit that it was found at. */
  readonly sha: string;
  /** Untrusted, as all that follows. */
  readonly place: string;
  readonly text: string;
  readonly replies: readonly RememberedReply[];
};

export type ReviewMemory = {
  /** What its host calls a pull request. */
  readonly pullRequest: string;
  /** Which review of the pull request this is, from 2 on. */
  readonly round: number;
  /** The open ones first. */
  readonly findings: readonly RememberedFinding[];
  /** The count of those that there was no room for. */
  readonly leftOut: number;
  readonly lastHead: string;
  /** As a diff; null where the last commit is not among the head's own any more, as after a force push. Untrusted. */
  readonly changes: string | null;
};

type MemoryOptions = {
  readonly host: ReviewsReader;
  readonly number: number;
  readonly headSha: string;
  readonly reviewed: ReviewedPaths;
  /** Whether replies of people without write access are left out. */
  readonly isForWriters: boolean;
  readonly onNote: (note: string) => void;
};

const MAX_FINDINGS = 50;
const MAX_MEMORY_BYTES = 24_000;
const MAX_TEXT_CHARS = 1_500;
const MAX_REPLIES = 6;
const MAX_REPLY_CHARS = 600;
const MAX_PLACE_CHARS = 300;
const MAX_DIFF_CHARS = 20_000;
const MAX_UNSHOWN = 50;

/** Null where there was no review. Rejects with CodeHostError. Safe to repeat. */
export async function readReviewMemory(options: MemoryOptions): Promise<ReviewMemory | null> {
  const { host, headSha, reviewed } = options;
  const { published, standing, files } = await readEarlierReviews({ ...options, runId: "" });
  const lastHead = published.heads.at(-1);
  if (lastHead === undefined) return null;
  const changes = lastHead === headSha ? null : await files.compare(lastHead);
  const told = standing
    .filter(({ state, hasChanged }) => state === "open" || (state === "declined" && !hasChanged))
    .toSorted((a, b) => Number(a.state === "declined") - Number(b.state === "declined"));
  const findings: RememberedFinding[] = [];
  let roomBytes = MAX_MEMORY_BYTES;
  for (const one of told.slice(0, MAX_FINDINGS)) {
    const finding = await remembered(one, { host, isForWriters: options.isForWriters });
    roomBytes -= Buffer.byteLength(JSON.stringify(finding));
    if (roomBytes < 0) break;
    findings.push(finding);
  }
  return {
    pullRequest: host.words.pullRequest,
    round: roundOf(published, headSha),
    findings,
    leftOut: told.length - findings.length,
    lastHead,
    changes: changes?.isAhead === true ? diffOf(changes, reviewed) : null,
  };
}

async function remembered(
  { finding, id, state, now }: StandingFinding,
  { host, isForWriters }: { readonly host: ReviewsReader; readonly isForWriters: boolean },
): Promise<RememberedFinding> {
  const replies: RememberedReply[] = [];
  for (const reply of finding.replies.slice(-MAX_REPLIES)) {
    const mayWrite = await hasWriteAccess(host, reply);
    if (mayWrite || !isForWriters)
      replies.push({ ...reply, body: cut(reply.body, MAX_REPLY_CHARS), mayWrite });
  }
  return {
    id,
    state: state === "declined" ? "declined" : "open",
    severity: finding.severity,
    sha: finding.sha,
    place: singleLine(placeOf(now), MAX_PLACE_CHARS),
    text: cut(finding.text === "" ? finding.title : finding.text, MAX_TEXT_CHARS),
    replies,
  };
}

/** As much of it as there is room for, and the names of the rest. */
function diffOf({ patches, unshown }: Comparison, reviewed: ReviewedPaths): string {
  const left: string[] = unshown.filter((path) => isReviewed(path, reviewed));
  const shown: string[] = [];
  let room = MAX_DIFF_CHARS;
  for (const { path, patch } of patches.filter((one) => isReviewed(one.path, reviewed))) {
    const name = singleLine(path, MAX_PLACE_CHARS);
    const text = `--- ${name}\n+++ ${name}\n${patch}`;
    if (text.length > room) left.push(path);
    else {
      shown.push(text);
      room -= text.length;
    }
  }
  const names = left
    .slice(0, MAX_UNSHOWN)
    .map((path) => `changed, not shown: ${singleLine(path, MAX_PLACE_CHARS)}`);
  const more = left.length - names.length;
  return [...shown, ...names, ...(more > 0 ? [`and ${more} more files`] : [])].join("\n");
}

function cut(text: string, maxChars: number): string {
  const { text: head, omittedChars } = excerpt(text, maxChars);
  return omittedChars === 0 ? head : `${head}…`;
}
