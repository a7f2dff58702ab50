// Threads of a merge request or pull request, whatever code host they are on: our earlier findings with their replies, what is resolved, and by
// whom. Anybody can copy a marker, so only notes of our own account count. Pure.

import { anchorsOf, headsOf, markersOf, reviewMarker, textAbove } from "./marker.ts";
import { lastOfEach, type Published, type PublishedFinding, type ThreadReply } from "./published.ts";
import type { HostAccount, ReviewThread } from "./reviews-host.ts";

export type NoteAuthor = {
  readonly id: number | string;
  readonly login: string;
  readonly isBot: boolean;
  /** Whether it is the account of the job's token. */
  readonly isOwn: boolean;
};

export type ThreadNote = {
  readonly id: number;
  readonly body: string;
  /** Null where the account is gone. */
  readonly author: NoteAuthor | null;
  /** Whether the code host wrote it itself. */
  readonly isSystem: boolean;
};

/** The first note begins it. */
export type NoteThread = {
  readonly id: string;
  readonly notes: readonly ThreadNote[];
  readonly isResolvable: boolean;
  readonly isResolved: boolean;
  readonly resolvedBy: HostAccount | null;
};

export type NoteThreads = { readonly all: readonly NoteThread[]; readonly isWhole: boolean };

/** The page of a note. */
export type NoteUrl = (note: Pick<ThreadNote, "id">) => string;

/** What our account has published. */
export function publishedIn(
  { all, isWhole }: NoteThreads,
  { urlOf, runId }: { readonly urlOf: NoteUrl; readonly runId: string },
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
    const url = urlOf(first);
    for (const note of notes) for (const marker of ownMarkers(note)) markers.add(marker);
    const own = ownMarkers(first);
    const reviewed = headsOf(own);
    if (reviewed.length > 0) latest = { id: first.id, body: first.body };
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
        text: isText ? "" : textAbove(first.body),
        replies: isText ? [] : others.flatMap(replyOf),
      });
    }
  }
  return { markers, review, heads: lastOfEach(heads), latest, findings, isWhole };
}

/** By the addresses of their first notes. */
export function threadsIn({ all }: NoteThreads, urlOf: NoteUrl): ReadonlyMap<string, ReviewThread> {
  const threads = new Map<string, ReviewThread>();
  for (const { id, notes, isResolvable, isResolved, resolvedBy } of all) {
    const [first] = notes;
    if (first === undefined || !isResolvable) continue;
    threads.set(urlOf(first), { id, isResolved, resolvedBy: isResolved ? resolvedBy : null });
  }
  return threads;
}

/** Who has resolved a review's own text, by its address. */
export function resolvedTexts(
  { all }: NoteThreads,
  urlOf: NoteUrl,
): readonly { readonly url: string; readonly by: HostAccount }[] {
  return all.flatMap(({ notes: [first], isResolved, resolvedBy: by }) => {
    if (first === undefined || !isResolved || by === null || headsOf(ownMarkers(first)).length === 0)
      return [];
    return [{ url: urlOf(first), by }];
  });
}

export function ownMarkers({ body, author }: ThreadNote): readonly string[] {
  return author?.isOwn === true ? markersOf(body) : [];
}

function replyOf({ author, body, isSystem }: ThreadNote): ThreadReply[] {
  if (isSystem || author?.isOwn === true) return [];
  if (author === null) return [{ login: null, isBot: false, body }];
  return [{ login: author.login, accountId: author.id, isBot: author.isBot, body }];
}
