// Comments of a pull request as threads: the first one with its answers, also of answers. Pure.

import type { NoteThread, NoteThreads, ThreadNote } from "../../job/findings/note-threads.ts";
import { type Account, isPerson } from "../account.ts";
import type { PullComment, PullComments } from "../comments.ts";

type Listed = Awaited<ReturnType<PullComments["list"]>>;

/** An answer whose first comment was deleted is left out. */
export function threadsOf({ all, isWhole }: Listed, comments: Pick<PullComments, "isOwn">): NoteThreads {
  const byId = new Map(all.map((one) => [one.id, one]));
  const threads = new Map<number, PullComment[]>();
  for (const one of all) {
    const first = firstOf(one, byId);
    if (first === null) continue;
    threads.set(first.id, [...(threads.get(first.id) ?? []), one]);
  }
  const noteOf = (one: PullComment): ThreadNote => ({
    id: one.id,
    body: one.body,
    author: one.author === null ? null : authorOf(one.author, comments.isOwn(one)),
    isSystem: false,
  });
  return { all: [...threads.values()].map((parts) => threadOf(parts, noteOf)), isWhole };
}

function firstOf(one: PullComment, byId: ReadonlyMap<number, PullComment>): PullComment | null {
  let at: PullComment | undefined = one;
  // No longer than there are comments: nothing vouches for the order.
  for (let left = byId.size; left > 0 && at !== undefined; left -= 1) {
    if (at.parentId === null) return at;
    at = byId.get(at.parentId);
  }
  return null;
}

/** Only a thread in the diff can be resolved. */
function threadOf(parts: readonly PullComment[], noteOf: (one: PullComment) => ThreadNote): NoteThread {
  const first = parts.find(({ parentId }) => parentId === null);
  const ordered = first === undefined ? parts : [first, ...parts.filter((one) => one !== first)];
  const resolution = first?.resolution ?? null;
  const by = resolution?.by ?? null;
  return {
    id: String(first?.id ?? ""),
    notes: ordered.map(noteOf),
    isResolvable: first?.isInline === true,
    isResolved: resolution !== null,
    resolvedBy: by === null ? null : { login: loginOf(by), databaseId: by.uuid },
  };
}

function authorOf(account: Account, isOwn: boolean): NonNullable<ThreadNote["author"]> {
  return { id: account.uuid, login: loginOf(account), isBot: !isPerson(account), isOwn };
}

function loginOf({ nickname, display_name: name, uuid }: Account): string {
  return nickname || name || uuid;
}
