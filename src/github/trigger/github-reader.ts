// The reads of GitHub's API that decide whether an event may start a run.

import * as z from "zod/mini";
import { type AccountPermission, readAccountPermission } from "../api/account-permission.ts";
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

/** The current text of an issue, a pull request, a comment or a review. */
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
}

type ListedComment = z.infer<typeof commentSchema>;
type Earlier = {
  readonly comment: Pick<EventComment, "id" | "createdAt">;
  readonly isThere: (comment: ListedComment) => boolean;
};

/** Sends nothing until the first call. */
export function githubReader(api: GitHubApi): GitHubReader {
  const read = <Schema extends z.ZodMiniType>(path: string, schema: Schema) =>
    api.read(path, schema).catch(decline);
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
    accountPermission: (login) => readAccountPermission(api, login).catch(decline),
    comment: (trigger) => currentText(commentPath(trigger)),
    issue: (number) => currentText(`/issues/${number}`),
    pullRequest: async (number) => {
      const found = await read(`/pulls/${number}`, pullRequestSchema);
      return found === null ? null : pullRequestRefs(found);
    },
    comments: (number, comment) => earlier(`/issues/${number}/comments`, { comment, isThere: () => true }),
    lineComments: (number, firstId, comment) => {
      const isThere = ({ id, in_reply_to_id: first }: ListedComment) => (first ?? id) === firstId;
      return earlier(`/pulls/${number}/comments`, { comment, isThere });
    },
  };
}

function commentPath({ type, subject, comment }: CommentTrigger): string {
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
export function decline(cause: unknown): never {
  if (!(cause instanceof GitHubError)) throw cause;
  if (cause.code === "code_host_refused") {
    throw new Declined(
      "code_host_refused",
      `Nothing ran: GitHub did not tell who may start the agent. ${cause.message} Give "github-token" the job's ` +
        'token, and the job "permissions: contents: read, issues: read, pull-requests: read".',
      { cause },
    );
  }
  const message = `Nothing ran: GitHub could not be asked who may start the agent. ${cause.message} Re-run the job.`;
  throw new Declined("code_host_unavailable", message, { cause });
}
