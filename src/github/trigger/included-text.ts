// Whose text becomes part of the prompt. With `include-authors: writers`, only what users with write access wrote: text of
// others can hold instructions to the agent.

import type { EarlierComment, GitHubReader } from "./github-reader.ts";
import type { Account, SubjectTrigger } from "./github-trigger.ts";

/** The latest comments, which are the nearest to the request. */
export const MAX_COMMENTS = 20;

export type IncludedText = {
  /** Whether the title, the text and the branch of the issue or pull request are in the prompt. */
  readonly hasSubject: boolean;
  /** Oldest first. */
  readonly conversation: readonly EarlierComment[];
  /** The count of comments that are left out for their authors. */
  readonly leftOut: number;
};

/** Rejects with Declined where the code host does not say who may write. */
export async function includedText(
  { trigger, conversation }: { trigger: SubjectTrigger; conversation: readonly EarlierComment[] },
  { reader, includeAuthors }: { reader: GitHubReader; includeAuthors: "everyone" | "writers" },
): Promise<IncludedText> {
  if (includeAuthors === "everyone") return { hasSubject: true, conversation, leftOut: 0 };
  const known = new Map<string, Promise<boolean>>();
  const isWriter = async (login: string): Promise<boolean> => {
    const asked =
      known.get(login) ?? reader.accountPermission(login).then((permission) => permission?.mayWrite === true);
    known.set(login, asked);
    return await asked;
  };
  // The prompt takes no more, so nobody else need be asked about.
  const latest = conversation.slice(-MAX_COMMENTS);
  const kept: EarlierComment[] = [];
  for (const comment of latest)
    if (comment.login !== null && (await isWriter(comment.login))) kept.push(comment);
  const { author } = trigger.subject;
  return {
    hasSubject: isPerson(author) && (await isWriter(author.login)),
    conversation: kept,
    leftOut: latest.length - kept.length,
  };
}

/** Whether an author is a person; a bot's text may quote anybody. */
function isPerson(author: Account | null): author is Account {
  return author !== null && !author.isBot;
}
