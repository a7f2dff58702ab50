// One review of a pull request: a comment at the lines of each finding that its diff shows, then one with the rest. It neither approves nor requests
// changes. Bitbucket publishes no drafts by its API, so that the comments appear one after the other.
// https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests (2026-11-29)

import { isShown, type LineRange } from "../../job/findings/diff-lines.ts";
import { type CommentForm, commentText, reviewText } from "../../job/findings/finding-text.ts";
import { type MarkedFinding, markersOf, reviewMarker } from "../../job/findings/marker.ts";
import type { NewReview, PullReview } from "../../job/findings/reviews-host.ts";
import type { BitbucketApi } from "../bitbucket-api.ts";
import { BitbucketError } from "../bitbucket-error.ts";
import type { CommentUrl } from "../comment-url.ts";
import type { InlinePlace, PullComments } from "../comments.ts";
import { isHashOf, readPullRequest } from "../repository.ts";
import { readTopicDiff, shownRanges } from "./pull-diff.ts";

export type PostedReview = NewReview & {
  readonly api: BitbucketApi;
  readonly comments: PullComments;
  readonly urlOf: CommentUrl;
  /** The address of the files at the commit: ".../src/<sha>". */
  readonly filesUrl: string;
};

/**
 * Bitbucket Cloud publishes no form of lines that can be applied: they are shown as code. A comment has at most 32,768 characters, as other tools
 * found; later reviews add lines to a review's own text.
 */
export const bitbucketForm: CommentForm = {
  suggestion: () => null,
  inert: (text) => text,
  maxPartBytes: 12_000,
  maxReviewBytes: 24_000,
};

/** Rejects with BitbucketError. Safe to repeat: no finding is published twice. */
export async function postReview(review: PostedReview): Promise<PullReview> {
  const { findings, earlier, urlOf } = review;
  if (findings.length === 0) return { url: earlier.review?.url ?? null, commented: 0, left: [] };
  const ranges = await readRanges(review);
  const inside: MarkedFinding[] = [];
  const outside: MarkedFinding[] = [];
  for (const finding of findings)
    ((await isPosted(review, { finding, ranges })) ? inside : outside).push(finding);
  const { text, left } = reviewText({ ...review, inside, outside, form: bitbucketForm });
  const shown = outside.filter((finding) => !left.includes(finding));
  const id = await createOnce(review, { text, marker: reviewMarker(review.runId) });
  return { url: urlOf({ id }), commented: inside.length + shown.length, left };
}

type Ranges = ReadonlyMap<string, readonly LineRange[]>;

/** By path. None where the head has moved on: Bitbucket takes lines of the newest diff alone. */
async function readRanges({ api, number, headSha }: PostedReview): Promise<Ranges> {
  const pull = await readPullRequest(api, number);
  const [head, base] = [pull?.source.commit?.hash, pull?.destination.commit?.hash];
  if (head === undefined || base === undefined || !isHashOf(head, headSha)) return new Map();
  const diff = await readTopicDiff(api, { head: headSha, base }).catch((cause: unknown) => {
    // Too large, or away: the findings are in the text.
    if (cause instanceof BitbucketError) return null;
    throw cause;
  });
  return shownRanges(diff ?? "");
}

/** False where the diff does not show the lines, or Bitbucket takes no comment there. */
async function isPosted(
  review: PostedReview,
  { finding, ranges }: { readonly finding: MarkedFinding; readonly ranges: Ranges },
): Promise<boolean> {
  if (!isShown(ranges.get(finding.path) ?? [], finding)) return false;
  const { path, startLine, line } = finding;
  const text = commentText(finding, review.headSha, bitbucketForm);
  const at: InlinePlace = { path, to: line };
  for (const inline of startLine === line ? [at] : [{ ...at, start_to: startLine }, at]) {
    try {
      await createOnce(review, { text, marker: finding.marker, inline });
      return true;
    } catch (cause) {
      if (!(cause instanceof BitbucketError && cause.status === 400)) throw cause;
    }
  }
  return false;
}

type NewComment = {
  readonly text: string;
  /** The one of its markers that no other comment has. */
  readonly marker: string;
  readonly inline?: InlinePlace;
};

/** Where the answer was lost, it may be there. */
async function createOnce(
  { comments }: PostedReview,
  { text, marker, ...place }: NewComment,
): Promise<number> {
  return await comments.create(text, place).catch(async (cause: unknown) => {
    if (!(cause instanceof BitbucketError && cause.code === "code_host_unavailable")) throw cause;
    const { all } = await comments.list();
    const there = all.find((one) => comments.isOwn(one) && markersOf(one.body).includes(marker));
    return there?.id ?? (await comments.create(text, place));
  });
}
