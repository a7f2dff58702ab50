// Discussions of a merge request, as threads. https://docs.gitlab.com/api/discussions/#merge-requests (2026-11-29)

import * as z from "zod/mini";
import type { NoteAuthor, NoteThread, NoteThreads, NoteUrl } from "../../job/findings/note-threads.ts";
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
type Account = z.infer<typeof accountSchema>;

export type DiscussionPlace = {
  readonly number: number;
  /** The page of the merge request. */
  readonly url: string;
  readonly viewerId: number;
};

/** Every page. Rejects with GitLabError. */
export async function readDiscussions(
  api: GitLabApi,
  { number, viewerId }: Pick<DiscussionPlace, "number" | "viewerId">,
): Promise<NoteThreads> {
  const all: NoteThread[] = [];
  const path = `/merge_requests/${number}/discussions?sort=asc`;
  for await (const one of api.items(path, discussionSchema, MAX_PAGES)) all.push(threadOf(one, viewerId));
  return { all, isWhole: all.length < MAX_PAGES * PAGE };
}

export function noteUrls({ url }: Pick<DiscussionPlace, "url">): NoteUrl {
  return ({ id }) => `${url}#note_${id}`;
}

function threadOf({ id, notes }: z.infer<typeof discussionSchema>, viewerId: number): NoteThread {
  const [first] = notes;
  const by = first?.resolved_by ?? null;
  return {
    id,
    notes: notes.map(({ id: noteId, body, author, system }) => ({
      id: noteId,
      body: body ?? "",
      author: author === null ? null : authorOf(author, viewerId),
      isSystem: system === true,
    })),
    isResolvable: first?.resolvable === true,
    isResolved: first?.resolved === true,
    resolvedBy: by === null ? null : { login: by.username, databaseId: by.id },
  };
}

function authorOf({ id, username }: Account, viewerId: number): NoteAuthor {
  return { id, login: username, isBot: BOT.test(username), isOwn: id === viewerId };
}
