// Discussions, their comments and reactions, as GraphQL has them. A test edits them here, as people do after an event.
// https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions,
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#discussion_comment (2026-11-23)

import { ACTIONS_BOT } from "./comments.ts";

type Fields = Record<string, unknown>;
type Author = { readonly __typename: string; readonly login: string };

export type CodeHostDiscussionComment = {
  readonly id: string;
  readonly databaseId: number;
  readonly url: string;
  readonly body: string;
  readonly createdAt: string;
  readonly lastEditedAt: string | null;
  readonly viewerDidAuthor: boolean;
  readonly author: Author;
  /** The top-level comment that it replies to. */
  readonly replyTo: { readonly id: string } | null;
};

type Discussion = { readonly id: string; title: string; body: string; url: string; locked: boolean };
type Kept = CodeHostDiscussionComment & { readonly number: number };
type Answer = { readonly data: Fields } | { readonly fault: string; readonly type: string };

const FORBIDDEN: Answer = { fault: "Resource not accessible by integration", type: "FORBIDDEN" };
const AT = "2026-01-15T09:40:00Z";

export class CodeHostDiscussions {
  /** By their names; a discussion is begun in one of them. */
  readonly categories = new Map([["Ideas", "DIC_1"]]);
  readonly #discussions = new Map<number, Discussion>();
  readonly #made: (Discussion & { readonly number: number; readonly categoryId: string })[] = [];
  readonly #comments = new Map<string, Kept>();
  readonly #reactions = new Map<string, string[]>();
  #nextId = 8_000_001;

  /** What a payload says of a discussion and a comment of it. */
  publish(payload: Fields): void {
    const { discussion, comment } = payload as Record<string, Fields | undefined>;
    if (discussion === undefined) return;
    const number = Number(discussion.number);
    const [id, title, body] = [discussion.node_id, discussion.title, discussion.body].map(String);
    const url = String(discussion.html_url);
    this.#discussions.set(number, { id: id ?? "", title: title ?? "", body: body ?? "", url, locked: false });
    if (comment === undefined) return;
    const parent = [...this.#comments.values()].find(({ databaseId }) => databaseId === comment.parent_id);
    const { login, type } = comment.user as { login: string; type: string };
    this.add(number, {
      id: String(comment.node_id),
      databaseId: Number(comment.id),
      body: String(comment.body),
      createdAt: String(comment.created_at),
      author: { __typename: type, login },
      replyTo: parent === undefined ? null : { id: parent.id },
    });
  }

  /** Adds a comment, or replaces the one with this id. */
  add(number: number, comment: Partial<CodeHostDiscussionComment> & { readonly body: string }): string {
    const databaseId = comment.databaseId ?? this.#nextId++;
    const id = comment.id ?? `DC_${databaseId}`;
    const url = `${this.#discussions.get(number)?.url ?? ""}#discussioncomment-${databaseId}`;
    const author = { __typename: "User", login: "outsider" };
    const rest = { createdAt: AT, lastEditedAt: null, viewerDidAuthor: false, author, replyTo: null };
    this.#comments.set(id, { ...rest, url, ...comment, id, databaseId, number });
    return id;
  }

  edit(id: string, fields: Partial<CodeHostDiscussionComment>): void {
    const found = this.#comments.get(id);
    if (found === undefined) throw new RangeError(`The code host has no comment ${id} of a discussion.`);
    this.#comments.set(id, { ...found, ...fields });
  }

  editDiscussion(number: number, fields: { readonly body: string }): void {
    const found = this.#discussions.get(number);
    if (found !== undefined) this.#discussions.set(number, { ...found, ...fields });
  }

  remove(id: string): void {
    this.#comments.delete(id);
  }

  clear(): void {
    this.#discussions.clear();
    this.#comments.clear();
    this.#reactions.clear();
  }

  /** Those that jobs have begun, oldest first. */
  get made(): readonly { readonly number: number; readonly title: string; readonly body: string }[] {
    return this.#made;
  }

  commentsOf(number: number): readonly CodeHostDiscussionComment[] {
    return [...this.#comments.values()].filter((comment) => comment.number === number);
  }

  /** What jobs have reacted with, oldest first, by the id of the comment or the discussion. */
  reactionsTo(id: string): readonly string[] {
    return this.#reactions.get(id) ?? [];
  }

  /** The top-level comments with their replies; undefined where there is no such discussion. */
  list(number: number, field: string): readonly object[] | undefined {
    if (field !== "comments" || !this.#discussions.has(number)) return undefined;
    const all = this.commentsOf(number);
    return all
      .filter(({ replyTo }) => replyTo === null)
      .map((first) => ({
        ...first,
        replies: { nodes: all.filter(({ replyTo }) => replyTo?.id === first.id) },
      }));
  }

  /** Answers an operation on discussions; null for another one. */
  answer(
    { query, variables }: { readonly query: string; readonly variables: Fields },
    may: { readonly read: boolean; readonly write: boolean },
  ): Answer | null {
    if (/\bdiscussionCategories\(/.test(query)) return may.read ? this.#overview() : FORBIDDEN;
    if (/\bcreateDiscussion\(input:/.test(query))
      return may.write ? this.#create(variables.input as Fields) : FORBIDDEN;
    const operation = /\b(?:(add|update)DiscussionComment|(add|remove)Reaction)\(input:/.exec(query);
    if (operation !== null) {
      if (!may.write) return FORBIDDEN;
      const input = variables.input as Fields;
      const [, written, reacted] = operation;
      if (written === "add") return this.#add(input);
      if (written === "update") return this.#update(input);
      return this.#react(input, reacted === "add");
    }
    if (/\bdiscussion\(number: \$number\) \{ title body \}/.test(query)) {
      if (!may.read) return FORBIDDEN;
      const found = this.#discussions.get(Number(variables.number));
      return found === undefined
        ? unresolved("a Discussion with the number", variables.number)
        : { data: { repository: { discussion: { title: found.title, body: found.body } } } };
    }
    if (!/\bnode\(id: \$id\)/.test(query)) return null;
    if (!may.read) return FORBIDDEN;
    const id = String(variables.id);
    const found = this.#comments.get(id);
    const isDiscussion = [...this.#discussions.values()].some((discussion) => discussion.id === id);
    if (found === undefined && !isDiscussion) return unresolved("a node with the global id of", id);
    const there = this.reactionsTo(id);
    const reactionGroups = [
      "THUMBS_UP",
      "THUMBS_DOWN",
      "LAUGH",
      "HOORAY",
      "CONFUSED",
      "HEART",
      "ROCKET",
      "EYES",
    ].map((content) => ({ content, viewerHasReacted: there.includes(content) }));
    return { data: { node: { ...found, reactionGroups } } };
  }

  #overview(): Answer {
    const discussionCategories = { nodes: [...this.categories].map(([name, id]) => ({ id, name })) };
    const nodes = this.#made.toReversed().map((one) => ({ ...one, viewerDidAuthor: true }));
    return { data: { repository: { id: "R_1", discussionCategories, discussions: { nodes } } } };
  }

  #create({ repositoryId, categoryId, title, body }: Fields): Answer {
    if (repositoryId !== "R_1" || ![...this.categories.values()].includes(String(categoryId)))
      return unresolved("a node with the global id of", categoryId);
    const number = 901 + this.#made.length;
    const url = `https://github.test/discussions/${number}`;
    const made = { id: `D_${number}`, title: String(title), body: String(body), url, locked: false };
    this.#made.push({ ...made, number, categoryId: String(categoryId) });
    return { data: { createDiscussion: { discussion: { number, url } } } };
  }

  #add({ discussionId, body, replyToId }: Fields): Answer {
    const [number] = [...this.#discussions].find(([, { id }]) => id === discussionId) ?? [];
    if (number === undefined) return unresolved("a node with the global id of", discussionId);
    const parent = replyToId === undefined ? undefined : this.#comments.get(String(replyToId));
    if (replyToId !== undefined && parent === undefined)
      return unresolved("a node with the global id of", replyToId);
    if (parent?.replyTo != null) {
      return { fault: "Parent comment is already in a thread, cannot reply to it", type: "UNPROCESSABLE" };
    }
    const id = this.add(number, {
      body: String(body),
      createdAt: new Date().toISOString(),
      viewerDidAuthor: true,
      // GraphQL's login of an app's account lacks the ending of REST.
      author: { __typename: "Bot", login: ACTIONS_BOT.login.replace("[bot]", "") },
      replyTo: parent === undefined ? null : { id: parent.id },
    });
    return { data: { addDiscussionComment: { comment: this.#comments.get(id) } } };
  }

  #update({ commentId, body }: Fields): Answer {
    const id = String(commentId);
    const found = this.#comments.get(id);
    if (found === undefined) return unresolved("a node with the global id of", id);
    if (!found.viewerDidAuthor) return FORBIDDEN;
    this.edit(id, { body: String(body), lastEditedAt: new Date().toISOString() });
    return { data: { updateDiscussionComment: { comment: this.#comments.get(id) } } };
  }

  #react({ subjectId, content }: Fields, isAdded: boolean): Answer {
    const id = String(subjectId);
    const others = this.reactionsTo(id).filter((there) => there !== content);
    this.#reactions.set(id, isAdded ? [...others, String(content)] : others);
    const name = isAdded ? "addReaction" : "removeReaction";
    return { data: { [name]: { subject: { id } } } };
  }
}

function unresolved(what: string, value: unknown): Answer {
  return { fault: `Could not resolve to ${what} '${String(value)}'.`, type: "NOT_FOUND" };
}
