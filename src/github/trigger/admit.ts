// Who may start a run, and with what: the one that wrote the words must be allowed to at this moment, and the words and
// the commit must still be those of the event.

import { Declined } from "./declined.ts";
import type { GitHubReader, Written } from "./github-reader.ts";
import type {
  Account,
  IssueTrigger,
  PullRequestEnds,
  PullRequestTrigger,
  RemarkTrigger,
} from "./github-trigger.ts";

export type AdmitRules = {
  /** Logins in lower case, of people that need no write access. */
  readonly allowUsers: ReadonlySet<string>;
  /** Logins in lower case; no bot is let in that is not named. */
  readonly allowBots: ReadonlySet<string>;
  readonly allowForks: boolean;
};

export type AdmitOptions = {
  readonly rules: AdmitRules;
  readonly forge: GitHubReader;
};

/** Admits a comment or a review with a command. Returns the pull request's commits, if it is on one. */
export async function admitRemark(
  trigger: RemarkTrigger,
  options: AdmitOptions,
): Promise<PullRequestEnds | null> {
  const { remark, sender, thread } = trigger;
  const author = known(remark.author);
  if (author.id !== sender.id) {
    const message = `Nothing ran: @${sender.login} caused this event, but @${author.login} wrote the words.`;
    throw new Declined("actor_not_author", message);
  }
  await admitAccount(author, options);
  const now = await options.forge.remark(trigger);
  refuseChanged(now, {
    what: "comment",
    isSame:
      now?.body === remark.body &&
      (remark.updatedAt ?? now.updatedAt) === (now.updatedAt ?? remark.updatedAt),
  });
  if (!thread.isPullRequest) return null;
  const ends =
    trigger.type === "issue_comment" ? await options.forge.pullRequest(thread.number) : trigger.ends;
  if (ends === null) {
    throw new Declined(
      "content_deleted",
      `Nothing ran: there is no pull request #${thread.number} any more.`,
    );
  }
  refuseMovedHead(ends, remark.createdAt);
  return ends;
}

/** Admits an issue that was opened, labelled or assigned. */
export async function admitIssue(trigger: IssueTrigger, options: AdmitOptions): Promise<void> {
  const { action, sender, thread } = trigger;
  const author = known(thread.author);
  if (action === "opened" && author.id !== sender.id) {
    const message = `Nothing ran: @${sender.login} caused this event, but @${author.login} wrote the issue.`;
    throw new Declined("actor_not_author", message);
  }
  await admitAccount(sender, options);
  // A bot that sorts what strangers write must not lend them its name.
  if (sender.isBot && author.id !== sender.id) await admitAccount(author, options);
  const now = await options.forge.issue(thread.number);
  refuseChanged(now, { what: "issue", isSame: now?.body === thread.body && now.title === thread.title });
}

/**
 * Admits a pull request: who can push a branch has write access already, a fork's needs `allow-forks`. Where
 * `isHarmless`, the job has nothing of the repository's that a fork could take.
 */
export function admitPullRequest(
  trigger: PullRequestTrigger,
  { rules, isHarmless }: { rules: AdmitRules; isHarmless: boolean },
): void {
  const { ends, thread } = trigger;
  if (!ends.isFork || isHarmless) return;
  if (!rules.allowForks) throw new Declined("fork_pull_request", FORK_MESSAGE);
  if (thread.author?.isBot !== false) admitBot(known(thread.author), rules);
}

const FORK_MESSAGE =
  "Nothing ran: this pull request comes from a fork. Somebody with write access can ask for a run in a comment on it, " +
  'where a workflow listens to "issue_comment", or run it from a branch of this repository.';

async function admitAccount(account: Account, { rules, forge }: AdmitOptions): Promise<void> {
  if (account.isBot) return admitBot(account, rules);
  if (rules.allowUsers.has(account.login.toLowerCase())) return;
  const standing = await forge.standing(account.login);
  // A login can change hands between the event and now.
  if (standing?.mayWrite === true && standing.accountId === account.id) return;
  throw new Declined(
    "permission_missing",
    `Nothing ran: @${account.login} may not start the agent here. It takes write access to the repository, ` +
      'or a place in "allow-users".',
  );
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

function refuseChanged(now: Written | null, { what, isSame }: { what: string; isSame: boolean }): void {
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

/** The words were about what their author saw. On the repository's own branches only writers push. */
function refuseMovedHead(ends: PullRequestEnds, askedAt: string): void {
  const { isFork, headPushedAt } = ends;
  if (!isFork || headPushedAt === null) return;
  if (Date.parse(headPushedAt) < Date.parse(askedAt)) return;
  throw new Declined(
    "head_moved",
    "Nothing ran: the fork was pushed to after the comment. Look at the change, then comment again.",
  );
}
