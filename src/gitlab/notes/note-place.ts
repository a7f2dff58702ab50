// The place of the job's own note on a merge request. https://docs.gitlab.com/api/notes/#merge-requests (2026-11-29)

import * as z from "zod/mini";
import type { CommentPlace } from "../../job/status-comment/comment-place.ts";
import type { GitLabApi } from "../gitlab-api.ts";
import { withoutQuickActions } from "../inert-actions.ts";

const MAX_PAGES = 50;

const createdSchema = z.object({ id: z.int() });
const listedSchema = z.object({
  id: z.int(),
  body: z.optional(z.nullable(z.string())),
  author: z.nullable(z.object({ id: z.int() })),
  system: z.optional(z.boolean()),
});

type NoteSubject = {
  readonly number: number;
  /** The page of the merge request. */
  readonly url: string;
  /** The account of the token: nobody else's note is ever edited, whatever marker it has. */
  readonly viewerId: number;
};

/** Each call rejects with GitLabError. */
export function notePlace(api: GitLabApi, { number, url, viewerId }: NoteSubject): CommentPlace {
  const path = `/merge_requests/${number}/notes`;
  const urlOf = (id: number) => `${url}#note_${id}`;
  return {
    find: async (marker) => {
      const list = `${path}?sort=asc&order_by=created_at`;
      for await (const { id, body, author, system } of api.items(list, listedSchema, MAX_PAGES)) {
        if (system !== true && author?.id === viewerId && body?.includes(marker) === true)
          return { id, url: urlOf(id) };
      }
      return null;
    },
    create: async (text) => {
      const body = { body: withoutQuickActions(text) };
      const { id } = await api.write({ method: "POST", path, body }, createdSchema);
      return { id, url: urlOf(id) };
    },
    edit: async (id, text) => {
      const body = { body: withoutQuickActions(text) };
      await api.write({ method: "PUT", path: `${path}/${id}`, body }, createdSchema);
    },
  };
}
