// The place of the step's own comment: under an issue or a pull request, at a line, or in a discussion.
// https://docs.github.com/en/rest/issues/comments, https://docs.github.com/en/rest/pulls/comments,
// https://docs.github.com/en/graphql/reference/discussions#adddiscussioncomment (2026-11-23)

import * as z from "zod/mini";
import type { CommentPlace } from "../../job/status-comment/comment-place.ts";
import { discussionThreads, topLevelComment } from "../api/discussions.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { readViewer } from "../api/viewer.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";

const MAX_PAGES = 50;

type CommentSubject = Pick<RequestSubject, "number" | "comment" | "discussionId">;

export function commentPlace(api: GitHubApi, subject: CommentSubject): CommentPlace {
  const { discussionId } = subject;
  return discussionId === undefined
    ? restPlace(api, subject)
    : discussionPlace(api, { ...subject, discussionId });
}

const createdSchema = z.object({ id: z.int(), html_url: z.string() });
const listedSchema = z.object({
  id: z.int(),
  html_url: z.string(),
  body: z.optional(z.nullable(z.string())),
  user: z.nullable(z.object({ id: z.int() })),
});

function restPlace(api: GitHubApi, subject: CommentSubject): CommentPlace {
  const { list, one, create } = pathsOf(subject);
  return {
    find: async (marker) => {
      for await (const { id, html_url: url, body, user } of api.items(list, listedSchema, MAX_PAGES)) {
        if (body?.includes(marker) !== true) continue;
        if (user?.id === (await readViewer(api)).id) return { id, url };
      }
      return null;
    },
    create: async (body) => {
      const write = { method: "POST", path: create, body: { body }, isRepeatable: false } as const;
      const { id, html_url: url } = await api.write(write, createdSchema);
      return { id, url };
    },
    edit: async (id, body) => {
      const path = `${one}/${id}`;
      await api.write({ method: "PATCH", path, body: { body }, isRepeatable: true }, createdSchema);
    },
  };
}

/** The answer to a comment at a line goes under that line. */
function pathsOf({ number, comment }: CommentSubject): { list: string; one: string; create: string } {
  if (comment?.type === "pull_request_review_comment") {
    const list = `/pulls/${number}/comments`;
    return { list, one: "/pulls/comments", create: `${list}/${comment.firstId ?? comment.id}/replies` };
  }
  const list = `/issues/${number}/comments`;
  return { list, one: "/issues/comments", create: list };
}

const ADD =
  "mutation($input: AddDiscussionCommentInput!) { addDiscussionComment(input: $input) { comment { id url } } }";
const UPDATE =
  "mutation($input: UpdateDiscussionCommentInput!) { updateDiscussionComment(input: $input) { comment { id } } }";
const addedSchema = z.object({
  addDiscussionComment: z.object({ comment: z.object({ id: z.string(), url: z.string() }) }),
});

/** The answer to a comment is a reply in its thread. */
function discussionPlace(
  api: GitHubApi,
  { number, comment, discussionId }: CommentSubject & { readonly discussionId: string },
): CommentPlace {
  return {
    find: async (marker) => {
      for await (const thread of discussionThreads(api, number)) {
        const own = thread.find(({ isOwn, body }) => isOwn && body.includes(marker));
        if (own !== undefined) return { id: own.nodeId, url: own.url };
      }
      return null;
    },
    create: async (body) => {
      const nodeId = comment?.nodeId;
      const reply = nodeId === undefined ? {} : { replyToId: await topLevelComment(api, nodeId) };
      const variables = { input: { discussionId, body, ...reply } };
      return (await api.graphql({ query: ADD, variables }, addedSchema)).addDiscussionComment.comment;
    },
    edit: async (commentId, body) => {
      await api.graphql({ query: UPDATE, variables: { input: { commentId, body } } }, z.unknown());
    },
  };
}
