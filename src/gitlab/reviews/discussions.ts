// Discussions of a merge request: our earlier findings with their replies, what is resolved, and by whom. Anybody can copy a marker, so only
// notes of our own account count. https://docs.gitlab.com/api/discussions/#merge-requests (2026-11-29)

import * as z from "zod/mini";
import { anchorsOf, headsOf, markersOf, reviewMarker, textAbove } from "../../job/findings/marker.ts";
import {
  lastOfEach,
  type Published,
  type PublishedFinding,
  type ThreadReply,
} from "../../job/findings/published.ts";
import type { HostAccount, ReviewThread } from "../../job/findings/reviews-host.ts";
import type { GitLabApi } from "../gitlab-api.ts";

const MAX_PAGES = 50;
const PAGE = 100;
/** As GitLab names the accounts of its access tokens. https://docs.gitlab.com/user/project/settings/project_access_tokens */
const BOT = /^(?:project|group)_\d+_bot(?:_|$)|^service_account_/;

const accountSchema = z.object({ id: z.int(), username: z.string() });
const noteSchema = z.object({
  id: z.int(),
  body: z.optional(z.nullable(z.string())),
  author: z.nullable(accountSchema),
  system: z.optional(z.boolean()),
  resolvable: z.optional(z.boolean()),
  resolved: z.optional(z.nullable(z.boolean())),
  resolved_by: z.optional(z.nullable(accountSchema)),
});
const discussionSchema = z.object({ id: z.string(), notes: z.array(noteSchema) });
type Note = z.infer<typeof noteSchema>;
type Discussion = z.infer<typeof discussionSchema>;

export type DiscussionPlace = {
  readonly number: number;
  /** The page of the merge request. */
  readonly url: string;
  readonly viewerId: number;
};

export type Discussions = { readonly all: readonly Discussion[]; readonly isWhole: boolean };

/** Every page. Rejects with GitLabError. */
export async function readDiscussions(
  api: GitLabApi,
  { number }: { readonly number: number },
): Promise<Discussions> {
  const all: Discussion[] = [];
  const path = `/merge_requests/${number}/discussions?sort=asc`;
  for await (const one of api.items(path, discussionSchema, MAX_PAGES)) all.push(one);
  return { all, isWhole: all.length < MAX_PAGES * PAGE };
}

/** What our account has published. Pure. */
export function publishedIn(
  { all, isWhole }: Discussions,
  { place, runId }: { readonly place: DiscussionPlace; readonly runId: string },
): Published {
  const markers = new Set<string>();
  const heads: string[] = [];
  const findings: PublishedFinding[] = [];
  const ofThisRun = reviewMarker(runId);
  let review: Published["review"] = null;
  let latest: Published["latest"] = null;
  for (const { notes } of all) {
    const [first, ...others] = notes;
    if (first === undefined) continue;
    const url = noteUrl(place, first);
    for (const note of notes) for (const marker of ownMarkers(note, place)) markers.add(marker);
    const own = ownMarkers(first, place);
    const reviewed = headsOf(own);
    if (reviewed.length > 0) latest = { id: first.id, body: first.body ?? "" };
    heads.push(...reviewed);
    if (own.includes(ofThisRun)) review = { url };
    const isText = reviewed.length > 0;
    for (const { marker, anchor } of anchorsOf(own)) {
      if (anchor === null) continue;
      findings.push({
        ...anchor,
        marker,
        url,
        hasThread: !isText,
        commentId: isText ? null : first.id,
        text: isText ? "" : textAbove(first.body ?? ""),
        replies: isText ? [] : others.flatMap((note) => replyOf(note, place)),
      });
    }
  }
  return { markers, review, heads: lastOfEach(heads), latest, findings, isWhole };
}

/** By the addresses of their first notes. Pure. */
export function threadsIn({ all }: Discussions, place: DiscussionPlace): ReadonlyMap<string, ReviewThread> {
  const threads = new Map<string, ReviewThread>();
  for (const { id, notes } of all) {
    const [first] = notes;
    if (first?.resolvable !== true) continue;
    const isResolved = first.resolved === true;
    threads.set(noteUrl(place, first), { id, isResolved, resolvedBy: isResolved ? resolver(first) : null });
  }
  return threads;
}

/** Who has resolved a review's own text, by its address. Pure. */
export function resolvedTexts(
  { all }: Discussions,
  place: DiscussionPlace,
): readonly { readonly url: string; readonly by: HostAccount }[] {
  return all.flatMap(({ notes: [first] }) => {
    const by = first?.resolved === true ? resolver(first) : null;
    if (first === undefined || by === null || headsOf(ownMarkers(first, place)).length === 0) return [];
    return [{ url: noteUrl(place, first), by }];
  });
}

function resolver({ resolved_by: by }: Note): HostAccount | null {
  return by == null ? null : { login: by.username, databaseId: by.id };
}

function ownMarkers({ body, author }: Note, { viewerId }: DiscussionPlace): readonly string[] {
  return author?.id === viewerId ? markersOf(body ?? "") : [];
}

function replyOf({ author, body, system }: Note, { viewerId }: DiscussionPlace): ThreadReply[] {
  if (system === true || author?.id === viewerId) return [];
  if (author === null) return [{ login: null, isBot: false, body: body ?? "" }];
  const { username: login, id: accountId } = author;
  return [{ login, accountId, isBot: BOT.test(login), body: body ?? "" }];
}

function noteUrl({ url }: DiscussionPlace, { id }: Pick<Note, "id">): string {
  return `${url}#note_${id}`;
}
