// The admission of a request: its author must have write access now, and the text and the commit must still be those of the
// event.
// Why: docs/decisions/020-who-may-ask.md

import { pullRequestAsks } from "../../contract/ci/events.ts";
import { Declined } from "./declined.ts";
import type { CurrentText, GitHubReader } from "./github-reader.ts";
import type {
  Account,
  CommentTrigger,
  DiscussionTrigger,
  IssueTrigger,
  PullRequestRefs,
  PullRequestTrigger,
} from "./github-trigger.ts";

export type AdmitRules = {
  /** Logins in lower case. These users need no write access. */
  readonly allowUsers: ReadonlySet<string>;
  /** Logins in lower case. All other bots are declined. */
  readonly allowBots: ReadonlySet<string>;
  readonly allowForks: boolean;
};

type AdmitOptions = {
  readonly rules: AdmitRules;
  readonly reader: GitHubReader;
};

/** Admits a comment or a review with a command. Returns the branches of its pull request; null on an issue. */
export async function admitComment(
  trigger: CommentTrigger,
  options: AdmitOptions,
): Promise<PullRequestRefs | null> {
  const { comment, sender, subject } = trigger;
  const author = known(comment.author);
  if (author.id !== sender.id) {
    const message = `Nothing ran: @${sender.login} caused this event, but @${author.login} wrote the text.`;
    throw new Declined("actor_not_author", message);
  }
  await admitAccount(author, options);
  const now = await options.reader.comment(trigger);
  refuseChanged(now, {
    what: "comment",
    isSame:
      now?.body === comment.body &&
      (comment.updatedAt ?? now.updatedAt) === (now.updatedAt ?? comment.updatedAt),
  });
  if (!subject.isPullRequest || trigger.type === "discussion_comment") return null;
  const refs =
    trigger.type === "issue_comment" ? await options.reader.pullRequest(subject.number) : trigger.refs;
  if (refs === null) {
    throw new Declined(
      "content_deleted",
      `Nothing ran: there is no pull request #${subject.number} any more.`,
    );
  }
  refuseMovedHead(refs, comment.createdAt);
  return refs;
}

/** Admits a new discussion, or an issue that was opened, labelled or assigned. */
export async function admitIssue(
  trigger: IssueTrigger | DiscussionTrigger,
  options: AdmitOptions,
): Promise<void> {
  const { action, sender, subject, type } = trigger;
  const author = known(subject.author);
  const isNew = type === "discussion" || action === "opened";
  const what = type === "discussion" ? "discussion" : "issue";
  if (isNew && author.id !== sender.id) {
    const message = `Nothing ran: @${sender.login} caused this event, but @${author.login} wrote the ${what}.`;
    throw new Declined("actor_not_author", message);
  }
  await admitAccount(sender, options);
  // A bot that labels or assigns issues must not start runs for authors without write access.
  if (sender.isBot && author.id !== sender.id) await admitAccount(author, options);
  const { reader } = options;
  const now = await (type === "discussion"
    ? reader.discussion(subject.number)
    : reader.issue(subject.number));
  refuseChanged(now, { what, isSame: now?.body === subject.body && now.title === subject.title });
}

/**
 * Admits a pull request: pushing a branch needs write access already; one from a fork needs `allow-forks`, unless the
 * job is harmless: it has no secret or token that the fork's code could take. Triage is enough to label a pull request:
 * whoever did that to one from a branch needs write access. Other actions need a name.
 */
export async function admitPullRequest(
  trigger: PullRequestTrigger,
  { isHarmless, isNamed, ...options }: AdmitOptions & { isHarmless: boolean; isNamed: boolean },
): Promise<void> {
  const { refs, subject, action, sender } = trigger;
  const { rules } = options;
  const asks = pullRequestAsks(action);
  if (asks === "name" && !isNamed) {
    const message =
      `Nothing ran: a pull request is worked on when it is opened or pushed to, and this one was ${action.replaceAll("_", " ")}. ` +
      `Name "pull_request.${action}" in "allow-events" to let that start the agent.`;
    throw new Declined("action_ignored", message);
  }
  if (!refs.isFork && asks === "writer") await admitAccount(sender, options);
  if (!refs.isFork || isHarmless) return;
  if (!rules.allowForks) throw new Declined("fork_pull_request", FORK_MESSAGE);
  if (subject.author?.isBot !== false) admitBot(known(subject.author), rules);
}

const FORK_MESSAGE =
  "Nothing ran: this pull request comes from a fork. Somebody with write access can ask for a run in a comment on it, " +
  'where a workflow listens to "issue_comment", or run it from a branch of this repository.';

async function admitAccount(account: Account, { rules, reader }: AdmitOptions): Promise<void> {
  if (account.isBot) return admitBot(account, rules);
  if (rules.allowUsers.has(account.login.toLowerCase())) return;
  if (await isWriter(account, reader)) return;
  throw new Declined(
    "permission_missing",
    `Nothing ran: @${account.login} may not start the agent here. It takes write access to the repository, ` +
      'or a place in "allow-users".',
  );
}

/** Whether the account has write access now. Of bots, nobody is asked. */
export async function isWriter(account: Account, reader: GitHubReader): Promise<boolean> {
  if (account.isBot) return false;
  const permission = await reader.accountPermission(account.login);
  // A login can pass to another account between the event and now.
  return permission?.mayWrite === true && permission.accountId === account.id;
}

function admitBot(bot: Account, { allowBots }: AdmitRules): void {
  if (allowBots.has(bot.login.toLowerCase())) return;
  const message = `Nothing ran: @${bot.login} is a bot. Name it in "allow-bots" to let it start the agent.`;
  throw new Declined("bot_not_allowed", message);
}

function known(author: Account | null): Account {
  if (author !== null) return author;
  throw new Declined("author_unknown", "Nothing ran: the account that wrote this is gone.");
}

function refuseChanged(now: CurrentText | null, { what, isSame }: { what: string; isSame: boolean }): void {
  if (now === null) {
    throw new Declined("content_deleted", `Nothing ran: the ${what} was deleted after it started this job.`);
  }
  if (isSame) return;
  const again = what === "comment" ? "Write a new comment." : "Ask again in a comment.";
  throw new Declined(
    "content_edited",
    `Nothing ran: the ${what} was edited after it started this job. ${again}`,
  );
}

/** The author commented on the commits that were there. Only a fork's branch can be pushed to without write access. */
function refuseMovedHead(refs: PullRequestRefs, askedAt: string): void {
  const { isFork, headPushedAt } = refs;
  if (!isFork || headPushedAt === null) return;
  if (Date.parse(headPushedAt) < Date.parse(askedAt)) return;
  throw new Declined(
    "head_moved",
    "Nothing ran: the fork was pushed to after the comment. Look at the change, then comment again.",
  );
}
