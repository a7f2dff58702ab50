// The findings that our earlier reviews of a pull request published. Anybody can copy a marker, so only those of our own
// account count.

import * as z from "zod/mini";
import { rowStart } from "../../job/findings/finding-text.ts";
import {
  anchorsOf,
  type FindingAnchor,
  headsOf,
  markersOf,
  reviewMarker,
  textAbove,
} from "../../job/findings/marker.ts";
import {
  lastOfEach,
  type Published,
  type PublishedFinding,
  type ThreadReply,
} from "../../job/findings/published.ts";
import { severities } from "../../report/findings.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { readViewer, type Viewer } from "../api/viewer.ts";

const MAX_PAGES = 50;
const PAGE = 100;

const writtenSchema = z.object({
  id: z.int(),
  html_url: z.string(),
  body: z.optional(z.nullable(z.string())),
  user: z.nullable(z.object({ id: z.int(), login: z.optional(z.string()), type: z.optional(z.string()) })),
});
const reviewSchema = z.extend(writtenSchema, { state: z.optional(z.string()) });
/** `line` is null where the line is no longer in the diff. */
const commentSchema = z.extend(writtenSchema, {
  path: z.optional(z.string()),
  line: z.optional(z.nullable(z.int())),
  start_line: z.optional(z.nullable(z.int())),
  original_line: z.optional(z.nullable(z.int())),
  original_start_line: z.optional(z.nullable(z.int())),
  original_commit_id: z.optional(z.string()),
  in_reply_to_id: z.optional(z.nullable(z.int())),
});

/** The present place of a comment of ours. */
type PublishedPlace = { readonly path: string; readonly startLine: number; readonly line: number };

/** With what only GitHub has. */
type GitHubPublished = Published & {
  /** Places of comments of ours. */
  readonly places: readonly PublishedPlace[];
  /** Pending reviews: created, but never submitted. */
  readonly pending: readonly { readonly id: number; readonly markers: readonly string[] }[];
};

/** Reads every page of the pull request's reviews and of their comments. Rejects with GitHubError. */
export async function readPublished(
  api: GitHubApi,
  { number, runId }: { number: number; runId: string },
): Promise<GitHubPublished> {
  const markers = new Set<string>();
  const pending: { id: number; markers: readonly string[] }[] = [];
  const ofThisRun = reviewMarker(runId);
  let review: Published["review"] = null;
  let viewer: Viewer | null = null;
  const ownMarkers = async ({ body, user }: z.infer<typeof writtenSchema>): Promise<readonly string[]> => {
    const found = markersOf(body ?? "");
    if (found.length === 0) return [];
    viewer ??= await readViewer(api);
    return user?.id === viewer.id ? found : [];
  };
  const places: PublishedPlace[] = [];
  const findings: PublishedFinding[] = [];
  const replies = new Map<number, ThreadReply[]>();
  let [comments, reviews] = [0, 0];
  for await (const comment of api.items(`/pulls/${number}/comments`, commentSchema, MAX_PAGES)) {
    comments += 1;
    const own = await ownMarkers(comment);
    for (const { marker, anchor } of anchorsOf(own)) {
      const at = anchor ?? firstAnchor(comment);
      if (at === null) continue;
      const { id: commentId, html_url: url, body } = comment;
      findings.push({
        ...at,
        marker,
        url,
        hasThread: true,
        commentId,
        text: textAbove(body ?? ""),
        replies: [],
      });
    }
    for (const marker of own) markers.add(marker);
    const { in_reply_to_id: firstId, user } = comment;
    if (firstId != null && own.length === 0) {
      const reply = { login: user?.login ?? null, isBot: user?.type === "Bot", body: comment.body ?? "" };
      replies.set(firstId, [...(replies.get(firstId) ?? []), reply]);
    }
    const { path, line, start_line } = comment;
    if (own.length > 0 && path !== undefined && line != null) {
      places.push({ path, startLine: start_line ?? line, line });
    }
  }
  let latest: Published["latest"] = null;
  const heads: string[] = [];
  for await (const found of api.items(`/pulls/${number}/reviews`, reviewSchema, MAX_PAGES)) {
    reviews += 1;
    const own = await ownMarkers(found);
    if (found.state === "PENDING") pending.push({ id: found.id, markers: own });
    else {
      for (const marker of own) markers.add(marker);
      for (const { marker, anchor } of anchorsOf(own)) {
        if (anchor === null) continue;
        const inText = { hasThread: false, commentId: null, text: "", replies: [] };
        findings.push({ ...anchor, marker, url: found.html_url, ...inText });
      }
      const reviewed = headsOf(own);
      if (reviewed.length > 0) latest = { id: found.id, body: found.body ?? "" };
      heads.push(...reviewed);
      if (own.includes(ofThisRun)) review = { url: found.html_url };
    }
  }
  const isWhole = Math.max(comments, reviews) < MAX_PAGES * PAGE;
  return {
    markers,
    places,
    heads: lastOfEach(heads),
    latest,
    review,
    pending,
    findings: findings.map((finding) => ({ ...finding, replies: replies.get(finding.commentId ?? 0) ?? [] })),
    isWhole,
  };
}

/** Of a comment whose marker says no more than that it is a finding: by its first line, and by what the code host keeps. */
function firstAnchor(comment: z.infer<typeof commentSchema>): FindingAnchor | null {
  const { body, path, original_line: line, original_start_line: start, original_commit_id: sha } = comment;
  const [firstRow = ""] = (body ?? "").split(/\r?\n/, 1);
  const severity = severities.find((one) => firstRow.startsWith(rowStart(one)) && firstRow.endsWith("**"));
  if (severity === undefined || path === undefined || line == null || sha === undefined) return null;
  const title = firstRow.slice(rowStart(severity).length, -2);
  return { path, startLine: start ?? line, line, severity, title, sha };
}
