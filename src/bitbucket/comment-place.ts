// The place of the job's own comment on a pull request.

import type { CommentPlace } from "../job/status-comment/comment-place.ts";
import type { CommentUrl } from "./comment-url.ts";
import type { PullComments } from "./comments.ts";

/** Each call rejects with BitbucketError. */
export function commentPlace(comments: PullComments, urlOf: CommentUrl): CommentPlace {
  return {
    find: async (marker) => {
      const { all } = await comments.list();
      const own = all.find(
        (one) => comments.isOwn(one) && one.parentId === null && one.body.includes(marker),
      );
      return own === undefined ? null : { id: own.id, url: urlOf(own) };
    },
    create: async (text) => {
      const id = await comments.create(text);
      return { id, url: urlOf({ id }) };
    },
    edit: async (id, text) => await comments.edit(Number(id), text),
  };
}
