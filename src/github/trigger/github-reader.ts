// The reads of GitHub's API that decide whether an event may start a run.

import * as z from "zod/mini";
import { type AccountPermission, readAccountPermission } from "../api/account-permission.ts";
import { discussionThreads, readDiscussion, readDiscussionComment } from "../api/discussions.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { Declined } from "./declined.ts";
import {
  type CommentTrigger,
  type EventComment,
  type PullRequestRefs,
  pullRequestRefs,
  pullRequestSchema,
} from "./github-trigger.ts";

const textSchema = z.object({
  title: z.optional(z.string()),
  body: z.nullable(z.string()),
  updated_at: z.optional(z.string()),
});

const commentSchema = z.object({
  id: z.int(),
  body: z.nullable(z.string()),
  user: z.nullable(z.object({ login: z.string() })),
  created_at: z.string(),
  updated_at: z.string(),
  in_reply_to_id: z.optional(z.nullable(z.int())),
});
const MAX_PAGES = 10;

/** The current text of an issue, a pull request, a discussion, a comment or a review. */
export type CurrentText = {
  readonly title: string | null;
  readonly body: string;
  readonly updatedAt: string | null;
};

export type EarlierComment = { readonly login: string | null; readonly body: string };

/** Each read is null for what the code host does not know, and rejects with Declined when it gives no answer. */
export interface GitHubReader {
  accountPermission(login: string): Promise<AccountPermission | null>;
  comment(trigger: CommentTrigger): Promise<CurrentText | null>;
  issue(number: number): Promise<CurrentText | null>;
  discussion(number: number): Promise<CurrentText | null>;
  pullRequest(number: number): Promise<PullRequestRefs | null>;
  /** The comments before `comment`, oldest first, without those edited since; of the first thousand. */
  comments(
    number: number,
    comment: Pick<EventComment, "id" | "createdAt">,
  ): Promise<readonly EarlierComment[]>;
  /** The same for the comments at one line of a pull request: the first one and its replies. */
  lineComments(
    number: number,
    firstId: number,
    comment: Pick<EventComment, "id" | "createdAt">,
  ): Promise<readonly EarlierComment[]>;
  /** The same for a discussion. The thread of the comment goes last. */
  discussionComments(
    number: number,
    comment: Pick<EventComment, "id" | "createdAt">,
  ): Promise<readonly EarlierComment[]>;
}

type ListedComment = z.infer<typeof commentSchema>;
type Earlier = {
  readonly comment: Pick<EventComment, "id" | "createdAt">;
  readonly isThere: (comment: ListedComment) => boolean;
};

/** Sends nothing until the first call. */
export function githubReader(api: GitHubApi): GitHubReader {
  const read = <Schema extends z.ZodMiniType>(path: string, schema: Schema) =>
    api.read(path, schema).catch((cause: unknown) => decline(cause));
  const currentText = async (path: string): Promise<CurrentText | null> => {
    const found = await read(path, textSchema);
    if (found === null) return null;
    return { title: found.title ?? null, body: found.body ?? "", updatedAt: found.updated_at ?? null };
  };
  const earlier = async (path: string, { comment, isThere }: Earlier): Promise<EarlierComment[]> => {
    const askedAt = Date.parse(comment.createdAt);
    const comments: EarlierComment[] = [];
    try {
      for await (const listed of api.items(path, commentSchema, MAX_PAGES)) {
        const { id, user, body, updated_at: updatedAt } = listed;
        const isEarlier = id !== comment.id && Date.parse(updatedAt) <= askedAt;
        if (isEarlier && isThere(listed)) comments.push({ login: user?.login ?? null, body: body ?? "" });
      }
    } catch (cause) {
      decline(cause);
    }
    return comments;
  };
  return {
    accountPermission: (login) => readAccountPermission(api, login).catch((cause: unknown) => decline(cause)),
    comment: (trigger) =>
      trigger.type === "discussion_comment"
        ? discussionCommentText(api, trigger.nodeId)
        : currentText(commentPath(trigger)),
    issue: (number) => currentText(`/issues/${number}`),
    discussion: async (number) => {
      const found = await readDiscussion(api, number).catch(unlessUnknown);
      return found === null ? null : { ...found, updatedAt: null };
    },
    pullRequest: async (number) => {
      const found = await read(`/pulls/${number}`, pullRequestSchema);
      return found === null ? null : pullRequestRefs(found);
    },
    comments: (number, comment) => earlier(`/issues/${number}/comments`, { comment, isThere: () => true }),
    lineComments: (number, firstId, comment) => {
      const isThere = ({ id, in_reply_to_id: first }: ListedComment) => (first ?? id) === firstId;
      return earlier(`/pulls/${number}/comments`, { comment, isThere });
    },
    discussionComments: (number, comment) => earlierInDiscussion(api, number, comment),
  };
}

/** A new comment has no edit yet: any edit, also one that was undone, makes it another text. */
async function discussionCommentText(api: GitHubApi, nodeId: string): Promise<CurrentText | null> {
  const found = await readDiscussionComment(api, nodeId).catch(unlessUnknown);
  return found === null ? null : { title: null, body: found.body, updatedAt: found.lastEditedAt };
}

async function earlierInDiscussion(
  api: GitHubApi,
  number: number,
  { id: requestId, createdAt }: Pick<EventComment, "id" | "createdAt">,
): Promise<EarlierComment[]> {
  const askedAt = Date.parse(createdAt);
  const others: EarlierComment[] = [];
  const own: EarlierComment[] = [];
  try {
    for await (const thread of discussionThreads(api, number)) {
      const place = thread.some(({ id }) => id === requestId) ? own : others;
      for (const { id, login, body, writtenAt } of thread) {
        if (id !== requestId && Date.parse(writtenAt) <= askedAt) place.push({ login, body });
      }
    }
  } catch (cause) {
    declineInDiscussion(cause);
  }
  return [...others, ...own];
}

/** Null for what GitHub does not have. */
function unlessUnknown(cause: unknown): null {
  if (cause instanceof GitHubError && cause.status === 404) return null;
  return declineInDiscussion(cause);
}

function declineInDiscussion(cause: unknown): never {
  return decline(cause, "contents: read, discussions: read");
}

type RestComment = Exclude<CommentTrigger, { readonly type: "discussion_comment" }>;

function commentPath({ type, subject, comment }: RestComment): string {
  switch (type) {
    case "issue_comment":
      return `/issues/comments/${comment.id}`;
    case "pull_request_review_comment":
      return `/pulls/comments/${comment.id}`;
    case "pull_request_review":
      return `/pulls/${subject.number}/reviews/${comment.id}`;
  }
}

/** Throws Declined: without an answer of the code host nothing may start. */
export function decline(
  cause: unknown,
  permissions = "contents: read, issues: read, pull-requests: read",
): never {
  if (!(cause instanceof GitHubError)) throw cause;
  if (cause.code === "code_host_refused") {
    throw new Declined(
      "code_host_refused",
      `Nothing ran: GitHub did not tell who may start the agent. ${cause.message} Give "github-token" the job's ` +
        `token, and the job "permissions: ${permissions}".`,
      { cause },
    );
  }
  const message = `Nothing ran: GitHub could not be asked who may start the agent. ${cause.message} Re-run the job.`;
  throw new Declined("code_host_unavailable", message, { cause });
}
