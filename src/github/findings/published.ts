// The findings that our earlier reviews of a pull request published. Anybody can copy a marker, so only those of our own
// account count.

import * as z from "zod/mini";
import type { GitHubApi } from "../api/github-api.ts";
import { readViewer, type Viewer } from "../api/viewer.ts";
import { headOf, markersOf, reviewMarker } from "./marker.ts";

const MAX_PAGES = 50;

const writtenSchema = z.object({
  id: z.int(),
  html_url: z.string(),
  body: z.optional(z.nullable(z.string())),
  user: z.nullable(z.object({ id: z.int() })),
});
const reviewSchema = z.extend(writtenSchema, { state: z.optional(z.string()) });
/** `line` is null where the line is no longer in the diff. */
const commentSchema = z.extend(writtenSchema, {
  path: z.optional(z.string()),
  line: z.optional(z.nullable(z.int())),
  start_line: z.optional(z.nullable(z.int())),
});

/** Where a comment of ours is now. */
export type PublishedPlace = { readonly path: string; readonly startLine: number; readonly line: number };

export type Published = {
  /** Markers of findings, and of reviews. */
  readonly markers: ReadonlySet<string>;
  /** The review that this run has published already. */
  readonly review: { readonly url: string } | null;
  /** Where comments of ours are. */
  readonly places: readonly PublishedPlace[];
  /** The commit of our latest review; null without one. */
  readonly lastHead: string | null;
  /** Pending reviews: created, but never submitted. */
  readonly pending: readonly { readonly id: number; readonly markers: readonly string[] }[];
};

/** Reads every page of the pull request's reviews and of their comments. Rejects with GitHubError. */
export async function readPublished(
  api: GitHubApi,
  { number, runId }: { number: number; runId: string },
): Promise<Published> {
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
  for await (const comment of api.items(`/pulls/${number}/comments`, commentSchema, MAX_PAGES)) {
    const own = await ownMarkers(comment);
    for (const marker of own) markers.add(marker);
    const { path, line, start_line } = comment;
    if (own.length > 0 && path !== undefined && line != null) {
      places.push({ path, startLine: start_line ?? line, line });
    }
  }
  let lastHead: string | null = null;
  for await (const found of api.items(`/pulls/${number}/reviews`, reviewSchema, MAX_PAGES)) {
    const own = await ownMarkers(found);
    if (found.state === "PENDING") pending.push({ id: found.id, markers: own });
    else {
      for (const marker of own) markers.add(marker);
      lastHead = headOf(own) ?? lastHead;
      if (own.includes(ofThisRun)) review = { url: found.html_url };
    }
  }
  return { markers, places, lastHead, review, pending };
}
