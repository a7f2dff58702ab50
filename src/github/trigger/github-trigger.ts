// What GitHub's payload says of the event that started the job, as one union. Strict: a payload without the fields that
// its event publishes is none. Pure. https://docs.github.com/en/webhooks/webhook-events-and-payloads

import * as z from "zod/mini";

const accountSchema = z.object({
  id: z.int(),
  login: z.string().check(z.regex(/^[\w.-]{1,100}(\[bot\])?$/)),
  type: z.string(),
});
const shaSchema = z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/));
const textSchema = z.nullable(z.string());
const thread = { number: z.int(), title: z.string(), body: textSchema, user: z.nullable(accountSchema) };
const sender = { sender: accountSchema };

const endSchema = z.object({
  ref: z.string(),
  sha: shaSchema,
  /** Null when the fork is gone. */
  repo: z.nullable(z.object({ id: z.int(), pushed_at: z.optional(z.nullable(z.string())) })),
});
/** The REST API gives a pull request in the same shape. */
export const pullRequestSchema = z.object({ ...thread, base: endSchema, head: endSchema });

const commentSchema = z.object({
  id: z.int(),
  body: textSchema,
  user: z.nullable(accountSchema),
  created_at: z.string(),
  updated_at: z.string(),
});
const issueSchema = z.object({ ...thread, pull_request: z.optional(z.nullable(z.unknown())) });
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
  push: z.object({ ...sender, ref: z.string(), before: shaSchema, after: shaSchema }),
  schedule: z.object({ schedule: z.string() }),
  workflow_dispatch: z.object({ ...sender, ref: z.string() }),
  repository_dispatch: z.object({ ...sender, action: z.string() }),
  workflow_run: z.object({ ...sender, action: z.string() }),
};

export type Account = { readonly id: number; readonly login: string; readonly isBot: boolean };

/** An issue or a pull request, as a place where people write. */
export type Thread = {
  readonly number: number;
  readonly isPullRequest: boolean;
  readonly title: string;
  readonly body: string;
  /** Null when the account is gone. */
  readonly author: Account | null;
};

export type PullRequestEnds = {
  readonly headSha: string;
  readonly headRef: string;
  readonly baseSha: string;
  readonly baseRef: string;
  /** True also when the fork is gone, so that nobody gains by deleting it. */
  readonly isFork: boolean;
  /** When the head's repository was last pushed to, in ISO 8601; null where nobody says. */
  readonly headPushedAt: string | null;
};

/** What somebody wrote that may hold a command. */
export type Remark = {
  readonly id: number;
  readonly body: string;
  readonly author: Account | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Null for what GitHub gives no such time: a review. */
  readonly updatedAt: string | null;
};

type Acted = { readonly action: string; readonly sender: Account };
type OnThread = Acted & { readonly thread: Thread };
type OnPullRequest = OnThread & { readonly ends: PullRequestEnds };

export type RemarkTrigger =
  | (OnThread & { readonly type: "issue_comment"; readonly remark: Remark })
  | (OnPullRequest & {
      readonly type: "pull_request_review_comment";
      readonly remark: Remark;
      readonly place: {
        readonly path: string;
        readonly line: number | null;
        readonly diffHunk: string;
        /** The first comment there; null where this is the first. */
        readonly firstId: number | null;
      };
    })
  | (OnPullRequest & { readonly type: "pull_request_review"; readonly remark: Remark });

export type IssueTrigger = OnThread & {
  readonly type: "issues";
  readonly label: string | null;
  readonly assignee: string | null;
};

export type PullRequestTrigger = OnPullRequest & {
  readonly type: "pull_request";
  readonly label: string | null;
};

/** Started by somebody who can write to the repository, and about nothing that another wrote. */
export type PlainTrigger =
  | { readonly type: "push"; readonly sender: Account; readonly ref: string; readonly afterSha: string }
  | { readonly type: "schedule"; readonly cron: string }
  | { readonly type: "workflow_dispatch"; readonly sender: Account; readonly ref: string }
  | (Acted & { readonly type: "repository_dispatch" });

export type Trigger =
  | RemarkTrigger
  | IssueTrigger
  | PullRequestTrigger
  | PlainTrigger
  /** Brings what an outsider made into a trusted context: the service refuses it unless its operator does not. */
  | (Acted & { readonly type: "workflow_run" })
  /** An event that nothing is known of. */
  | { readonly type: "other"; readonly event: string };

/** The payload is not what GitHub publishes for the event. */
export class TriggerError extends Error {
  readonly event: string;

  constructor(event: string, options?: ErrorOptions) {
    super(`The payload of the event "${event}" is not what GitHub publishes for it.`, options);
    this.name = "TriggerError";
    this.event = event;
  }
}

/** Decodes a payload. `pull_request_target` is told apart by the service alone. Throws TriggerError. */
export function decodeTrigger(event: string, payload: unknown): Trigger {
  const read = <Schema extends z.ZodMiniType>(schema: Schema): z.output<Schema> => {
    const parsed = schema.safeParse(payload);
    if (!parsed.success) throw new TriggerError(event, { cause: parsed.error });
    return parsed.data;
  };
  switch (event) {
    case "issue_comment": {
      const { comment, ...rest } = read(payloadSchemas[event]);
      return { type: event, ...onThread(rest), remark: remarkOf(comment) };
    }
    case "pull_request_review_comment": {
      const { comment, ...rest } = read(payloadSchemas[event]);
      const place = {
        path: comment.path,
        line: comment.line ?? null,
        diffHunk: comment.diff_hunk,
        firstId: comment.in_reply_to_id ?? null,
      };
      return { type: event, ...onPullRequest(rest), remark: remarkOf(comment), place };
    }
    case "pull_request_review": {
      const { review, ...rest } = read(payloadSchemas[event]);
      const at = review.submitted_at ?? "";
      return {
        type: event,
        ...onPullRequest(rest),
        remark: { ...remarkOf({ ...review, created_at: at, updated_at: at }), updatedAt: null },
      };
    }
    case "issues": {
      const { label, assignee, ...rest } = read(payloadSchemas[event]);
      return {
        type: event,
        ...onThread(rest),
        label: label?.name ?? null,
        assignee: assignee?.login ?? null,
      };
    }
    case "pull_request":
    case "pull_request_target": {
      const { label, ...rest } = read(payloadSchemas.pull_request);
      return { type: "pull_request", ...onPullRequest(rest), label: label?.name ?? null };
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

/** Where a pull request starts and ends, from a payload or from the REST API. */
export function pullRequestEnds({
  base,
  head,
}: Pick<z.infer<typeof pullRequestSchema>, "base" | "head">): PullRequestEnds {
  return {
    headSha: head.sha,
    headRef: head.ref,
    baseSha: base.sha,
    baseRef: base.ref,
    isFork: head.repo === null || base.repo === null || head.repo.id !== base.repo.id,
    headPushedAt: head.repo?.pushed_at ?? null,
  };
}

type ThreadShape = z.infer<typeof issueSchema> | z.infer<typeof pullRequestSchema>;

function threadOf(shape: ThreadShape, isPullRequest: boolean): Thread {
  const { number, title, body, user } = shape;
  return { number, isPullRequest, title, body: body ?? "", author: user === null ? null : accountOf(user) };
}

function onThread(payload: {
  action: string;
  sender: z.infer<typeof accountSchema>;
  issue: z.infer<typeof issueSchema>;
}): OnThread {
  const { action, sender, issue } = payload;
  const isPullRequest = issue.pull_request !== undefined && issue.pull_request !== null;
  return { action, sender: accountOf(sender), thread: threadOf(issue, isPullRequest) };
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
    thread: threadOf(pull, true),
    ends: pullRequestEnds(pull),
  };
}

function remarkOf(comment: z.infer<typeof commentSchema>): Remark {
  const { id, body, user, created_at, updated_at } = comment;
  return {
    id,
    body: body ?? "",
    author: user === null ? null : accountOf(user),
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

/** An app's account is told by its type; the suffix is one that no person can register. */
function accountOf({ id, login, type }: z.infer<typeof accountSchema>): Account {
  return { id, login, isBot: type !== "User" || login.endsWith("[bot]") };
}
