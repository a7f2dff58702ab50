// Discussions and their comments, as only GraphQL has them: their texts now, their thread, and the step's own comments there.
// https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions (2026-11-23)

import * as z from "zod/mini";
import type { GitHubApi } from "./github-api.ts";
import { graphqlItems } from "./graphql-items.ts";

/** Of a hundred comments each, with the latest replies to each. */
const MAX_PAGES = 10;

const textSchema = z.object({ title: z.string(), body: z.string() });
const discussionSchema = z.object({ repository: z.object({ discussion: z.nullable(textSchema) }) });
const commentTextSchema = z.object({ body: z.string(), lastEditedAt: z.nullable(z.string()) });
const commentNodeSchema = z.object({ node: z.nullable(commentTextSchema) });
const replyToSchema = z.object({
  node: z.nullable(z.object({ replyTo: z.nullable(z.object({ id: z.string() })) })),
});

const COMMENT = "id databaseId url body createdAt lastEditedAt viewerDidAuthor author { __typename login }";
const commentSchema = z.object({
  id: z.string(),
  databaseId: z.nullable(z.int()),
  url: z.string(),
  body: z.string(),
  createdAt: z.string(),
  lastEditedAt: z.nullable(z.string()),
  viewerDidAuthor: z.boolean(),
  author: z.nullable(z.object({ __typename: z.string(), login: z.string() })),
});
const threadSchema = z.object({
  ...commentSchema.shape,
  replies: z.object({ nodes: z.array(commentSchema) }),
});

type DiscussionComment = {
  /** GraphQL's id, and that of payloads. */
  readonly nodeId: string;
  readonly id: number | null;
  readonly url: string;
  readonly body: string;
  /** Null when the account is gone. An app's ends with "[bot]", as REST has it. */
  readonly login: string | null;
  /** ISO 8601: when it was last edited, else when it was written. */
  readonly writtenAt: string;
  /** Whether this token's account wrote it. */
  readonly isOwn: boolean;
};

/** The title and text of a discussion now. Rejects with GitHubError, of status 404 where there is none. */
export async function readDiscussion(
  api: GitHubApi,
  number: number,
): Promise<{ title: string; body: string } | null> {
  const [owner = "", name = ""] = api.repository.split("/");
  const query =
    "query($owner: String!, $name: String!, $number: Int!) { " +
    "repository(owner: $owner, name: $name) { discussion(number: $number) { title body } } }";
  const variables = { owner, name, number };
  return (await api.graphql({ query, variables }, discussionSchema)).repository.discussion;
}

/** The text of a comment now. `lastEditedAt` is null for one that nobody has edited. Rejects as `readDiscussion` does. */
export async function readDiscussionComment(
  api: GitHubApi,
  nodeId: string,
): Promise<z.infer<typeof commentTextSchema> | null> {
  const query = "query($id: ID!) { node(id: $id) { ... on DiscussionComment { body lastEditedAt } } }";
  return (await api.graphql({ query, variables: { id: nodeId } }, commentNodeSchema)).node;
}

/** The comment that a reply to this one must name: GitHub takes replies to a top-level comment only. */
export async function topLevelComment(api: GitHubApi, nodeId: string): Promise<string> {
  const query = "query($id: ID!) { node(id: $id) { ... on DiscussionComment { replyTo { id } } } }";
  const { node } = await api.graphql({ query, variables: { id: nodeId } }, replyToSchema);
  return node?.replyTo?.id ?? nodeId;
}

/** Each top-level comment with the latest of its replies, oldest first; of the first thousand. Rejects with GitHubError. */
export async function* discussionThreads(
  api: GitHubApi,
  number: number,
): AsyncGenerator<readonly DiscussionComment[]> {
  const fields = `${COMMENT} replies(last: 100) { nodes { ${COMMENT} } }`;
  const list = { of: "discussion", number, field: "comments", fields, schema: threadSchema } as const;
  for await (const { replies, ...first } of graphqlItems(api, { ...list, maxPages: MAX_PAGES })) {
    yield [first, ...replies.nodes].map(commentOf);
  }
}

function commentOf(comment: z.infer<typeof commentSchema>): DiscussionComment {
  const { id: nodeId, databaseId: id, url, body, author, createdAt, lastEditedAt, viewerDidAuthor } = comment;
  const isBot = author?.__typename === "Bot";
  const login = author === null ? null : `${author.login}${isBot ? "[bot]" : ""}`;
  return { nodeId, id, url, body, login, writtenAt: lastEditedAt ?? createdAt, isOwn: viewerDidAuthor };
}
