// Threads of a pull request that a person with write access has resolved, and reviews that are hidden. Only GraphQL knows. The
// author of a pull request may resolve its threads without write access; only people with write access hide a review.
// https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread (2026-11-23)

import * as z from "zod/mini";
import { readAccountPermission } from "../api/account-permission.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { graphqlItems } from "../api/graphql-items.ts";

/** Of a hundred each. Threads beyond count as open. */
const MAX_PAGES = 50;

const account = z.object({ login: z.string(), databaseId: z.optional(z.nullable(z.int())) });
const threadSchema = z.object({
  isResolved: z.boolean(),
  resolvedBy: z.nullable(account),
  comments: z.object({ nodes: z.array(z.object({ url: z.string() })) }),
});
const reviewSchema = z.object({ url: z.string(), isMinimized: z.boolean() });
const THREADS = {
  of: "pullRequest",
  field: "reviewThreads",
  fields: "isResolved resolvedBy { login databaseId } comments(first: 1) { nodes { url } }",
  schema: threadSchema,
  maxPages: MAX_PAGES,
} as const;
const REVIEWS = {
  of: "pullRequest",
  field: "reviews",
  fields: "url isMinimized",
  schema: reviewSchema,
  maxPages: MAX_PAGES,
} as const;

type Account = z.infer<typeof account>;

/** The addresses of the first comments of those threads. Rejects with GitHubError. Safe to repeat. */
export async function readResolvedThreads(api: GitHubApi, number: number): Promise<ReadonlySet<string>> {
  const resolved: { url: string; by: Account }[] = [];
  for await (const thread of graphqlItems(api, { ...THREADS, number })) {
    const { isResolved, resolvedBy: by, comments } = thread;
    const [first] = comments.nodes;
    if (isResolved && by !== null && first !== undefined) resolved.push({ url: first.url, by });
  }
  const writers = new Map<string, boolean>();
  for (const { by } of resolved) {
    if (!writers.has(by.login)) writers.set(by.login, await mayWrite(api, by));
  }
  return new Set(resolved.filter(({ by }) => writers.get(by.login) === true).map(({ url }) => url));
}

/** The addresses of reviews that are hidden. Rejects with GitHubError. Safe to repeat. */
export async function readHiddenReviews(api: GitHubApi, number: number): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for await (const { url, isMinimized } of graphqlItems(api, { ...REVIEWS, number })) {
    if (isMinimized) hidden.add(url);
  }
  return hidden;
}

/** A login can pass to another account. */
async function mayWrite(api: GitHubApi, { login, databaseId }: Account): Promise<boolean> {
  const permission = await readAccountPermission(api, login);
  return permission?.mayWrite === true && (databaseId == null || permission.accountId === databaseId);
}
