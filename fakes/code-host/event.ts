// The webhook payloads that a runner writes to GITHUB_EVENT_PATH, in the published shape, cut to what is used. Pure.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads

import type { Visibility } from "../../src/contract/ci/exchange.ts";

export type CodeHostEvent =
  | "push"
  | "schedule"
  | "workflow_dispatch"
  | "pull_request"
  | "pull_request_target"
  | "workflow_run"
  | "issue_comment"
  | "issues"
  | "pull_request_review"
  | "pull_request_review_comment"
  | "repository_dispatch"
  | "discussion"
  | "discussion_comment"
  | PlainEvent;

/** Events about no issue, pull request and discussion. The fields that only one of them has are the test's. */
export const plainEvents = [
  "branch_protection_rule",
  "check_run",
  "check_suite",
  "commit_comment",
  "deployment",
  "deployment_status",
  "fork",
  "gollum",
  "label",
  "milestone",
  "page_build",
  "public",
  "registry_package",
  "status",
  "watch",
] as const;
type PlainEvent = (typeof plainEvents)[number];

/** Where a pull request comes from: a branch of the repository, a fork, or Dependabot. */
export type PullRequestOrigin = "branch" | "fork" | "dependabot";

/** Events whose commit is GitHub's merge, and that give a fork's pull request no token. The others have the default branch. */
export function isOnMergeCommit(event: CodeHostEvent): boolean {
  return ["pull_request", "pull_request_review", "pull_request_review_comment"].includes(event);
}

export type EventContext = {
  readonly event: CodeHostEvent;
  readonly serverUrl: string;
  readonly repository: {
    readonly fullName: string;
    readonly id: string;
    readonly ownerId: string;
    readonly visibility: Visibility;
  };
  readonly actor: string;
  readonly actorId: string;
  readonly ref: string;
  readonly sha: string;
  readonly beforeSha: string;
  readonly pullRequest: {
    readonly number: number;
    readonly origin: PullRequestOrigin;
    readonly headRef: string;
    readonly headSha: string;
    readonly baseRef: string;
    readonly baseSha: string;
    readonly title: string;
    readonly body: string;
  };
  readonly comment: string;
  /** Whether a comment is on an issue, and not on a pull request. */
  readonly isIssue: boolean;
  /** The payload's action; null for the event's usual one. */
  readonly action: string | null;
  readonly label: string;
  /** The author of the issue or pull request, where it is not the actor. */
  readonly openedBy: { readonly login: string; readonly id: string } | null;
  readonly workflowPath: string;
};

export type Payload = Readonly<Record<string, unknown>>;

export function eventPayload(context: EventContext): Payload {
  const common = { repository: repository(context), sender: user(context.actor, context.actorId) };
  const did = (usual: string) => ({ action: context.action ?? usual });
  switch (context.event) {
    case "push":
      return { ...push(context), ...common };
    case "schedule":
      return { schedule: "17 3 * * *", workflow: context.workflowPath, ...common };
    case "workflow_dispatch":
      return { inputs: {}, ref: context.ref, workflow: context.workflowPath, ...common };
    case "pull_request":
    case "pull_request_target": {
      const request = pullRequest(context);
      return { ...did("opened"), number: request.number, pull_request: request, ...common };
    }
    case "workflow_run": {
      const run = { event: "pull_request", conclusion: "success", head_sha: context.pullRequest.headSha };
      return { action: "completed", workflow_run: { id: 1_296_268_000, ...run }, ...common };
    }
    case "issue_comment":
      return { ...did("created"), issue: issue(context), comment: comment(context), ...common };
    case "issues": {
      const done = did("opened");
      const labelled = done.action === "labeled" ? { label: label(context) } : {};
      const assigned = done.action === "assigned" ? { assignee: common.sender } : {};
      return { ...done, issue: issue(context), ...labelled, ...assigned, ...common };
    }
    case "pull_request_review":
      return { ...did("submitted"), review: review(context), pull_request: pullRequest(context), ...common };
    case "pull_request_review_comment":
      return {
        ...did("created"),
        comment: reviewComment(context),
        pull_request: pullRequest(context),
        ...common,
      };
    case "discussion":
      return { ...did("created"), discussion: discussion(context), ...common };
    case "discussion_comment":
      return {
        ...did("created"),
        discussion: discussion(context),
        comment: discussionComment(context),
        ...common,
      };
    case "repository_dispatch":
      return { action: "nightly", branch: "main", client_payload: {}, ...common };
    default:
      return { ...(context.action === null ? {} : { action: context.action }), ...common };
  }
}

function push(context: EventContext) {
  const author = { name: context.actor, email: `${context.actor}@users.noreply.github.com` };
  const message = "Change something";
  const timestamp = "2026-01-15T10:00:00Z";
  const commit = { id: context.sha, message, timestamp, author, committer: author };
  return {
    ref: context.ref,
    before: context.beforeSha,
    after: context.sha,
    base_ref: null,
    created: false,
    deleted: false,
    forced: false,
    pusher: author,
    compare: `${htmlUrl(context)}/compare/${context.beforeSha.slice(0, 12)}...${context.sha.slice(0, 12)}`,
    commits: [commit],
    head_commit: commit,
  };
}

export function pullRequest(context: EventContext) {
  const { number, origin, headRef, headSha, baseRef, baseSha, title, body } = context.pullRequest;
  const base = repository(context);
  const head = origin === "fork" ? forkOf(context) : base;
  const { openedBy } = context;
  const opened = openedBy === null ? head.owner : user(openedBy.login, openedBy.id);
  const author = origin === "dependabot" ? user("dependabot[bot]", "49699333") : opened;
  return {
    id: 1_000_000 + number,
    number,
    state: "open",
    locked: false,
    title,
    body,
    user: author,
    draft: false,
    head: {
      label: `${head.owner.login}:${headRef}`,
      ref: headRef,
      sha: headSha,
      user: head.owner,
      repo: head,
    },
    base: {
      label: `${base.owner.login}:${baseRef}`,
      ref: baseRef,
      sha: baseSha,
      user: base.owner,
      repo: base,
    },
    html_url: `${htmlUrl(context)}/pull/${number}`,
    author_association: origin === "fork" ? "FIRST_TIME_CONTRIBUTOR" : "MEMBER",
    merge_commit_sha: context.sha,
  };
}

function issue(context: EventContext) {
  const { number, title, body } = context.pullRequest;
  const html = `${htmlUrl(context)}/pull/${number}`;
  const { login, id } = context.openedBy ?? { login: context.actor, id: context.actorId };
  const common = { id: 2_000_000 + number, number, title, body, user: user(login, id), state: "open" };
  return {
    ...common,
    labels: [label(context)],
    assignees: [],
    author_association: "MEMBER",
    created_at: "2026-01-15T09:00:00Z",
    updated_at: "2026-01-15T10:00:00Z",
    ...(isIssue(context) ? {} : { pull_request: { html_url: html } }),
  };
}

function discussion(context: EventContext) {
  const {
    id,
    number,
    title,
    body,
    user: author,
    author_association,
    created_at,
    updated_at,
  } = issue(context);
  return {
    id,
    node_id: `D_${number}`,
    number,
    title,
    body,
    user: author,
    author_association,
    created_at,
    updated_at,
    state: "open",
    locked: false,
    comments: 0,
    category: { id: 4_000_001, node_id: "DIC_4000001", name: "Q&A", slug: "q-a", is_answerable: true },
    answer_html_url: null,
    html_url: `${htmlUrl(context)}/discussions/${number}`,
  };
}

function discussionComment(context: EventContext) {
  const { number } = context.pullRequest;
  return {
    ...comment(context),
    id: 3_600_001,
    node_id: "DC_3600001",
    parent_id: null,
    child_comment_count: 0,
    discussion_id: 2_000_000 + number,
    html_url: `${htmlUrl(context)}/discussions/${number}#discussioncomment-3600001`,
  };
}

function isIssue(context: EventContext): boolean {
  return context.isIssue || context.event === "issues";
}

function label({ label: name }: EventContext) {
  return { id: 5_000_001, name, color: "ededed", default: false, description: null };
}

function review(context: EventContext) {
  const { id, body, user: author, author_association, created_at } = comment(context);
  const { headSha } = context.pullRequest;
  return {
    id: id + 1_000,
    body,
    user: author,
    author_association,
    submitted_at: created_at,
    commit_id: headSha,
    state: "commented",
  };
}

function reviewComment(context: EventContext) {
  return {
    ...comment(context),
    id: 3_500_001,
    pull_request_review_id: 3_001_001,
    path: "src/index.ts",
    line: 1,
    side: "RIGHT",
    commit_id: context.pullRequest.headSha,
    diff_hunk: "@@ -1,1 +1,1 @@\n-export const greet = 0;\n+export const greet = 1;",
  };
}

function comment(context: EventContext) {
  const at = "2026-01-15T10:00:00Z";
  return {
    id: 3_000_001,
    body: context.comment,
    user: user(context.actor, context.actorId),
    author_association: "MEMBER",
    created_at: at,
    updated_at: at,
    html_url: `${htmlUrl(context)}/pull/${context.pullRequest.number}#issuecomment-3000001`,
  };
}

function repository(context: EventContext) {
  const { fullName, id, ownerId, visibility } = context.repository;
  const [owner = "", name = ""] = fullName.split("/");
  return {
    id: Number(id),
    name,
    full_name: fullName,
    private: visibility !== "public",
    visibility,
    owner: user(owner, ownerId),
    html_url: htmlUrl(context),
    clone_url: `${htmlUrl(context)}.git`,
    default_branch: "main",
    pushed_at: "2026-01-15T09:30:00Z",
    fork: false,
  };
}

function forkOf(context: EventContext) {
  const name = context.repository.fullName.split("/")[1] ?? "";
  const fork = { id: 9_000_001, full_name: `outside-contributor/${name}`, fork: true };
  return { ...repository(context), ...fork, owner: user("outside-contributor", "9000002") };
}

function user(login: string, id: string) {
  return { login, id: Number(id), type: login.endsWith("[bot]") ? "Bot" : "User" };
}

function htmlUrl(context: EventContext): string {
  return `${context.serverUrl}/${context.repository.fullName}`;
}
