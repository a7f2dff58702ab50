// The items of a list that only GraphQL has, of a pull request or a discussion, page by page.
// https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api (2026-11-23)

import * as z from "zod/mini";
import type { GitHubApi } from "./github-api.ts";

type GraphqlList<Schema extends z.ZodMiniType> = {
  readonly of: "pullRequest" | "discussion";
  readonly number: number;
  /** The list's field, and the fields of its items. */
  readonly field: string;
  readonly fields: string;
  readonly schema: Schema;
  /** Of a hundred items each. */
  readonly maxPages: number;
};

/** Rejects with GitHubError. Safe to repeat. */
export async function* graphqlItems<Schema extends z.ZodMiniType>(
  api: GitHubApi,
  asked: GraphqlList<Schema>,
): AsyncGenerator<z.output<Schema>> {
  const { of, number, field, fields, maxPages } = asked;
  const [owner = "", name = ""] = api.repository.split("/");
  const list = `list: ${field}(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${fields} } }`;
  const query =
    "query($owner: String!, $name: String!, $number: Int!, $after: String) { " +
    `repository(owner: $owner, name: $name) { subject: ${of}(number: $number) { ${list} } } }`;
  const schema = answerOf(asked.schema);
  let after: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const variables: Readonly<Record<string, unknown>> = { owner, name, number, after };
    const { pageInfo, nodes: items }: ListPage<Schema> = (await api.graphql({ query, variables }, schema))
      .repository.subject.list;
    yield* items;
    if (!pageInfo.hasNextPage || pageInfo.endCursor === null) return;
    after = pageInfo.endCursor;
  }
}

type ListPage<Schema extends z.ZodMiniType> = z.output<
  ReturnType<typeof answerOf<Schema>>
>["repository"]["subject"]["list"];

function answerOf<Schema extends z.ZodMiniType>(item: Schema) {
  const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.nullable(z.string()) });
  const list = z.object({ pageInfo, nodes: z.array(item) });
  return z.object({ repository: z.object({ subject: z.object({ list }) }) });
}
