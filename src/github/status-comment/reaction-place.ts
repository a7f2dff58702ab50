// The place of the step's reaction to a request: by REST on issues, pull requests and their comments, by GraphQL in discussions.
// https://docs.github.com/en/rest/reactions/reactions,
// https://docs.github.com/en/graphql/reference/mutations#addreaction (2026-11-23)

import * as z from "zod/mini";
import type { GitHubApi } from "../api/github-api.ts";
import { readViewer } from "../api/viewer.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";

const MAX_PAGES = 10;

/** As REST names them, and GraphQL. */
const GRAPHQL_CONTENTS = {
  eyes: "EYES",
  hooray: "HOORAY",
  "-1": "THUMBS_DOWN",
  confused: "CONFUSED",
} as const;
export type ReactionContent = keyof typeof GRAPHQL_CONTENTS;

/** Each call rejects with GitHubError and is safe to repeat. */
export interface ReactionPlace {
  /** Returns what the place knows the reaction by. */
  add(content: ReactionContent): Promise<number | string>;
  remove(id: number | string): Promise<void>;
  /** The step's own kinds of reactions of this account. */
  own(): Promise<readonly (number | string)[]>;
}

/** Null on a review, which takes no reactions, and without a request. */
export function reactionPlace(api: GitHubApi, subject: RequestSubject): ReactionPlace | null {
  const { discussionId, comment, command } = subject;
  const path = pathOf(subject);
  if (path !== null) return restPlace(api, path);
  const nodeId = comment?.nodeId ?? (command === null ? undefined : discussionId);
  return nodeId === undefined ? null : graphqlPlace(api, nodeId);
}

function pathOf({ number, comment, command, discussionId }: RequestSubject): string | null {
  switch (comment?.type) {
    case "issue_comment":
      return `/issues/comments/${comment.id}`;
    case "pull_request_review_comment":
      return `/pulls/comments/${comment.id}`;
    // GitHub has no reactions to a review.
    case "pull_request_review":
    case "discussion_comment":
      return null;
    case undefined:
      return command === null || discussionId !== undefined ? null : `/issues/${number}`;
  }
}

const madeSchema = z.object({ id: z.int() });
const listedSchema = z.object({
  id: z.int(),
  content: z.string(),
  user: z.nullable(z.object({ id: z.int() })),
});

function restPlace(api: GitHubApi, path: string): ReactionPlace {
  const reactions = `${path}/reactions`;
  return {
    add: async (content) => {
      const write = { method: "POST", path: reactions, body: { content }, isRepeatable: true } as const;
      return (await api.write(write, madeSchema)).id;
    },
    remove: async (id) => {
      await api.write({ method: "DELETE", path: `${reactions}/${id}`, isRepeatable: true }, z.unknown());
    },
    own: async () => {
      const viewer = await readViewer(api);
      const own: number[] = [];
      for await (const { id, content, user } of api.items(reactions, listedSchema, MAX_PAGES)) {
        if (user?.id === viewer.id && Object.hasOwn(GRAPHQL_CONTENTS, content)) own.push(id);
      }
      return own;
    },
  };
}

const groupSchema = z.object({ content: z.string(), viewerHasReacted: z.boolean() });
const groupsSchema = z.object({ node: z.nullable(z.object({ reactionGroups: z.array(groupSchema) })) });

/** Here an account has at most one reaction of a content, which is what names it. */
function graphqlPlace(api: GitHubApi, subjectId: string): ReactionPlace {
  const contents: readonly string[] = Object.values(GRAPHQL_CONTENTS);
  const react = async (verb: "add" | "remove", content: number | string): Promise<void> => {
    const type = verb === "add" ? "AddReactionInput" : "RemoveReactionInput";
    const query = `mutation($input: ${type}!) { ${verb}Reaction(input: $input) { subject { id } } }`;
    await api.graphql({ query, variables: { input: { subjectId, content } } }, z.unknown());
  };
  return {
    add: async (content) => {
      const id = GRAPHQL_CONTENTS[content];
      await react("add", id);
      return id;
    },
    remove: async (id) => await react("remove", id),
    own: async () => {
      const query =
        "query($id: ID!) { node(id: $id) { ... on Reactable { reactionGroups { content viewerHasReacted } } } }";
      const { node } = await api.graphql({ query, variables: { id: subjectId } }, groupsSchema);
      return (node?.reactionGroups ?? []).flatMap(({ content, viewerHasReacted }) =>
        viewerHasReacted && contents.includes(content) ? [content] : [],
      );
    },
  };
}
