// The few reads of GitHub's REST API that decide whether an event may start a run.

import * as z from "zod/mini";
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

const standingSchema = z.object({
  permission: z.string(),
  role_name: z.optional(z.string()),
  user: z.nullable(z.object({ id: z.int() })),
});
const writtenSchema = z.object({
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

/** What an account may do in the repository now. */
export type Standing = { readonly mayWrite: boolean; readonly accountId: number | null };

/** What an issue, a pull request, a comment or a review says now. */
export type Written = {
  readonly title: string | null;
  readonly body: string;
  readonly updatedAt: string | null;
};

export type EarlierComment = { readonly login: string | null; readonly body: string };

/** Each read is null for what the code host does not know, and rejects with Declined when it gives no answer. */
export interface GitHubReader {
  standing(login: string): Promise<Standing | null>;
  comment(trigger: CommentTrigger): Promise<Written | null>;
  issue(number: number): Promise<Written | null>;
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

/** Opens nothing until it is asked. */
export function githubReader(api: GitHubApi): GitHubReader {
  const read = <Schema extends z.ZodMiniType>(path: string, schema: Schema) =>
    api.read(path, schema).catch(decline);
  const written = async (path: string): Promise<Written | null> => {
    const found = await read(path, writtenSchema);
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
    standing: async (login) => {
      const found = await read(`/collaborators/${encodeURIComponent(login)}/permission`, standingSchema);
      if (found === null) return null;
      const roles = [found.permission, found.role_name ?? ""];
      const mayWrite = ["write", "maintain", "admin"].some((role) => roles.includes(role));
      return { mayWrite, accountId: found.user?.id ?? null };
    },
    comment: (trigger) => written(commentPath(trigger)),
    issue: (number) => written(`/issues/${number}`),
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

/** Rejects with why nothing may start, where the code host does not say who may. */
function decline(cause: unknown): never {
  if (!(cause instanceof GitHubError)) throw cause;
  if (cause.code === "code_host_refused") {
    throw new Declined(
      "code_host_refused",
      `Nothing ran: GitHub does not say who may start the agent. ${cause.message} Give "github-token" the job's ` +
        'token, and the job "permissions: contents: read, issues: read, pull-requests: read".',
      { cause },
    );
  }
  const message = `Nothing ran: nobody knows who may start the agent. ${cause.message} Re-run the job.`;
  throw new Declined("code_host_unavailable", message, { cause });
}
