// GitHub's payload of the event that started the job, decoded to one union. Strict: a payload that lacks a published field
// is refused. Pure. https://docs.github.com/en/webhooks/webhook-events-and-payloads

import * as z from "zod/mini";

const accountSchema = z.object({
  id: z.int(),
  login: z.string().check(z.regex(/^[\w.-]{1,100}(\[bot\])?$/)),
  type: z.string(),
});
const shaSchema = z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/));
const textSchema = z.nullable(z.string());
const subjectShape = {
  number: z.int(),
  title: z.string(),
  body: textSchema,
  user: z.nullable(accountSchema),
};
const sender = { sender: accountSchema };

const endSchema = z.object({
  ref: z.string(),
  sha: shaSchema,
  /** Null when the fork is gone. */
  repo: z.nullable(z.object({ id: z.int(), pushed_at: z.optional(z.nullable(z.string())) })),
});
/** The REST API gives a pull request in the same shape. */
export const pullRequestSchema = z.object({ ...subjectShape, base: endSchema, head: endSchema });

const commentSchema = z.object({
  id: z.int(),
  body: textSchema,
  user: z.nullable(accountSchema),
  created_at: z.string(),
  updated_at: z.string(),
});
const issueSchema = z.object({ ...subjectShape, pull_request: z.optional(z.nullable(z.unknown())) });
const discussionSchema = z.object({ ...subjectShape, node_id: z.string() });
const labelSchema = z.optional(z.object({ name: z.string() }));

const payloadSchemas = {
  issue_comment: z.object({ ...sender, action: z.string(), issue: issueSchema, comment: commentSchema }),
  pull_request_review_comment: z.object({
    ...sender,
    action: z.string(),
    pull_request: pullRequestSchema,
    comment: z.object({
      ...commentSchema.shape,
      path: z.string(),
      line: z.optional(z.nullable(z.int())),
      diff_hunk: z.string(),
      in_reply_to_id: z.optional(z.nullable(z.int())),
    }),
  }),
  pull_request_review: z.object({
    ...sender,
    action: z.string(),
    pull_request: pullRequestSchema,
    review: z.object({
      id: z.int(),
      body: textSchema,
      user: z.nullable(accountSchema),
      submitted_at: z.nullable(z.string()),
    }),
  }),
  issues: z.object({
    ...sender,
    action: z.string(),
    issue: issueSchema,
    label: labelSchema,
    assignee: z.optional(z.nullable(accountSchema)),
  }),
  pull_request: z.object({
    ...sender,
    action: z.string(),
    pull_request: pullRequestSchema,
    label: labelSchema,
  }),
  discussion: z.object({ ...sender, action: z.string(), discussion: discussionSchema }),
  discussion_comment: z.object({
    ...sender,
    action: z.string(),
    discussion: discussionSchema,
    comment: z.object({ ...commentSchema.shape, node_id: z.string() }),
  }),
  push: z.object({ ...sender, ref: z.string(), before: shaSchema, after: shaSchema }),
  schedule: z.object({ schedule: z.string() }),
  workflow_dispatch: z.object({ ...sender, ref: z.string() }),
  repository_dispatch: z.object({ ...sender, action: z.string() }),
  workflow_run: z.object({ ...sender, action: z.string() }),
};

export type Account = { readonly id: number; readonly login: string; readonly isBot: boolean };

/** The issue, pull request or discussion that an event is about. */
export type Subject = {
  /** The three share their numbers. */
  readonly number: number;
  readonly isPullRequest: boolean;
  /** GraphQL's id of a discussion; absent for an issue or a pull request. */
  readonly discussionId?: string;
  readonly title: string;
  readonly body: string;
  /** Null when the account is gone. */
  readonly author: Account | null;
};

export type PullRequestRefs = {
  readonly headSha: string;
  readonly headRef: string;
  readonly baseSha: string;
  readonly baseRef: string;
  /** True also when the fork was deleted. */
  readonly isFork: boolean;
  /** When the head's repository was last pushed to, in ISO 8601; null where GitHub does not tell. */
  readonly headPushedAt: string | null;
};

/** A comment, a review comment or a review: each can hold a command. */
export type EventComment = {
  readonly id: number;
  readonly body: string;
  readonly author: Account | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Null for a review: GitHub gives no such time. */
  readonly updatedAt: string | null;
};

type Acted = { readonly action: string; readonly sender: Account };
type OnSubject = Acted & { readonly subject: Subject };
type OnPullRequest = OnSubject & { readonly refs: PullRequestRefs };

export type CommentTrigger =
  | (OnSubject & { readonly type: "issue_comment"; readonly comment: EventComment })
  | (OnPullRequest & {
      readonly type: "pull_request_review_comment";
      readonly comment: EventComment;
      readonly place: {
        readonly path: string;
        readonly line: number | null;
        readonly diffHunk: string;
        /** The first comment there; null where this is the first. */
        readonly firstId: number | null;
      };
    })
  | (OnPullRequest & { readonly type: "pull_request_review"; readonly comment: EventComment })
  | (OnSubject & {
      readonly type: "discussion_comment";
      readonly comment: EventComment;
      /** GraphQL's id of the comment. */
      readonly nodeId: string;
    });

export type IssueTrigger = OnSubject & {
  readonly type: "issues";
  readonly label: string | null;
  readonly assignee: string | null;
};

export type PullRequestTrigger = OnPullRequest & {
  readonly type: "pull_request";
  readonly label: string | null;
};

/** A new discussion whose text is a request. */
export type DiscussionTrigger = OnSubject & { readonly type: "discussion" };

/** Events of an issue, a pull request or a discussion. */
export type SubjectTrigger = CommentTrigger | IssueTrigger | PullRequestTrigger | DiscussionTrigger;

/** Events that only users with write access cause, and that carry no text of others. */
type PlainTrigger =
  | { readonly type: "push"; readonly sender: Account; readonly ref: string; readonly afterSha: string }
  | { readonly type: "schedule"; readonly cron: string }
  | { readonly type: "workflow_dispatch"; readonly sender: Account; readonly ref: string }
  | (Acted & { readonly type: "repository_dispatch" });

export type Trigger =
  | CommentTrigger
  | IssueTrigger
  | PullRequestTrigger
  | DiscussionTrigger
  | PlainTrigger
  /** Can bring an outsider's code into a trusted context: the service refuses it by default. */
  | (Acted & { readonly type: "workflow_run" })
  /** Any other event. */
  | { readonly type: "other"; readonly event: string };

/** The payload does not have the shape that GitHub publishes for the event. */
export class TriggerError extends Error {
  readonly event: string;

  constructor(event: string, options?: ErrorOptions) {
    super(`The payload of the event "${event}" is not what GitHub publishes for it.`, options);
    this.name = "TriggerError";
    this.event = event;
  }
}

/** Decodes a payload. `pull_request_target` counts as `pull_request`. Throws TriggerError. */
export function decodeTrigger(event: string, payload: unknown): Trigger {
  const read = <Schema extends z.ZodMiniType>(schema: Schema): z.output<Schema> => {
    const parsed = schema.safeParse(payload);
    if (!parsed.success) throw new TriggerError(event, { cause: parsed.error });
    return parsed.data;
  };
  switch (event) {
    case "issue_comment": {
      const { comment, ...rest } = read(payloadSchemas[event]);
      return { type: event, ...onSubject(rest), comment: eventComment(comment) };
    }
    case "pull_request_review_comment": {
      const { comment, ...rest } = read(payloadSchemas[event]);
      const place = {
        path: comment.path,
        line: comment.line ?? null,
        diffHunk: comment.diff_hunk,
        firstId: comment.in_reply_to_id ?? null,
      };
      return { type: event, ...onPullRequest(rest), comment: eventComment(comment), place };
    }
    case "pull_request_review": {
      const { review, ...rest } = read(payloadSchemas[event]);
      const at = review.submitted_at ?? "";
      return {
        type: event,
        ...onPullRequest(rest),
        comment: { ...eventComment({ ...review, created_at: at, updated_at: at }), updatedAt: null },
      };
    }
    case "issues": {
      const { label, assignee, ...rest } = read(payloadSchemas[event]);
      return {
        type: event,
        ...onSubject(rest),
        label: label?.name ?? null,
        assignee: assignee?.login ?? null,
      };
    }
    case "pull_request":
    case "pull_request_target": {
      const { label, ...rest } = read(payloadSchemas.pull_request);
      return { type: "pull_request", ...onPullRequest(rest), label: label?.name ?? null };
    }
    case "discussion":
      return { type: event, ...onDiscussion(read(payloadSchemas[event])) };
    case "discussion_comment": {
      const { comment, ...rest } = read(payloadSchemas[event]);
      return {
        type: event,
        ...onDiscussion(rest),
        comment: eventComment(comment),
        nodeId: comment.node_id,
      };
    }
    case "push": {
      const { ref, after, sender } = read(payloadSchemas[event]);
      return { type: event, sender: accountOf(sender), ref, afterSha: after };
    }
    case "schedule":
      return { type: event, cron: read(payloadSchemas[event]).schedule };
    case "workflow_dispatch": {
      const { ref, sender } = read(payloadSchemas[event]);
      return { type: event, sender: accountOf(sender), ref };
    }
    case "repository_dispatch":
    case "workflow_run": {
      const { action, sender } = read(payloadSchemas[event]);
      return { type: event, action, sender: accountOf(sender) };
    }
    default:
      return { type: "other", event };
  }
}

/** The two branches of a pull request, from a payload or from the REST API. */
export function pullRequestRefs({
  base,
  head,
}: Pick<z.infer<typeof pullRequestSchema>, "base" | "head">): PullRequestRefs {
  return {
    headSha: head.sha,
    headRef: head.ref,
    baseSha: base.sha,
    baseRef: base.ref,
    isFork: head.repo === null || base.repo === null || head.repo.id !== base.repo.id,
    headPushedAt: head.repo?.pushed_at ?? null,
  };
}

type SubjectShape = Pick<z.infer<typeof issueSchema>, keyof typeof subjectShape>;

function subjectOf(shape: SubjectShape, isPullRequest: boolean): Subject {
  const { number, title, body, user } = shape;
  return { number, isPullRequest, title, body: body ?? "", author: user === null ? null : accountOf(user) };
}

function onSubject(payload: {
  action: string;
  sender: z.infer<typeof accountSchema>;
  issue: z.infer<typeof issueSchema>;
}): OnSubject {
  const { action, sender, issue } = payload;
  const isPullRequest = issue.pull_request !== undefined && issue.pull_request !== null;
  return { action, sender: accountOf(sender), subject: subjectOf(issue, isPullRequest) };
}

function onPullRequest(payload: {
  action: string;
  sender: z.infer<typeof accountSchema>;
  pull_request: z.infer<typeof pullRequestSchema>;
}): OnPullRequest {
  const { action, sender, pull_request: pull } = payload;
  return {
    action,
    sender: accountOf(sender),
    subject: subjectOf(pull, true),
    refs: pullRequestRefs(pull),
  };
}

function onDiscussion(payload: {
  action: string;
  sender: z.infer<typeof accountSchema>;
  discussion: z.infer<typeof discussionSchema>;
}): OnSubject {
  const { action, sender, discussion } = payload;
  const subject = { ...subjectOf(discussion, false), discussionId: discussion.node_id };
  return { action, sender: accountOf(sender), subject };
}

function eventComment(comment: z.infer<typeof commentSchema>): EventComment {
  const { id, body, user, created_at, updated_at } = comment;
  return {
    id,
    body: body ?? "",
    author: user === null ? null : accountOf(user),
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

/** The type tells an app's account; no person can register a name with the suffix. */
function accountOf({ id, login, type }: z.infer<typeof accountSchema>): Account {
  return { id, login, isBot: type !== "User" || login.endsWith("[bot]") };
}
