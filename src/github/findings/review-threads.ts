// Threads of a pull request, and reviews that are hidden: only GraphQL knows who has resolved a thread, and can resolve one. The
// author of a pull request may resolve its threads without write access; only people with write access hide a review.
// https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread (2026-11-23)

import * as z from "zod/mini";
import type { HostAccount, ReviewThread } from "../../job/findings/reviews-host.ts";
import { readAccountPermission } from "../api/account-permission.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { graphqlItems } from "../api/graphql-items.ts";

/** Of a hundred each. Threads beyond count as open. */
const MAX_PAGES = 50;

const account = z.object({ login: z.string(), databaseId: z.optional(z.nullable(z.int())) });
const threadSchema = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  resolvedBy: z.nullable(account),
  comments: z.object({ nodes: z.array(z.object({ url: z.string() })) }),
});
const reviewSchema = z.object({ url: z.string(), isMinimized: z.boolean() });
const THREADS = {
  of: "pullRequest",
  field: "reviewThreads",
  fields: "id isResolved resolvedBy { login databaseId } comments(first: 1) { nodes { url } }",
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
const RESOLVE =
  "mutation($threadId: ID!) { resolveReviewThread(input: { threadId: $threadId }) { thread { isResolved } } }";

/** By the addresses of their first comments. Rejects with GitHubError. Safe to repeat. */
export async function readThreads(
  api: GitHubApi,
  number: number,
): Promise<ReadonlyMap<string, ReviewThread>> {
  const threads = new Map<string, ReviewThread>();
  for await (const { comments, ...thread } of graphqlItems(api, { ...THREADS, number })) {
    const [first] = comments.nodes;
    if (first !== undefined) threads.set(first.url, thread);
  }
  return threads;
}

/** The addresses of reviews that are hidden. Rejects with GitHubError. Safe to repeat. */
export async function readHiddenReviews(api: GitHubApi, number: number): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for await (const { url, isMinimized } of graphqlItems(api, { ...REVIEWS, number })) {
    if (isMinimized) hidden.add(url);
  }
  return hidden;
}

/**
 * Takes `contents: write` beside `pull-requests: write` (github/gh-aw#35726 and community discussion 44650, looked up on
 * 2026-11-27). Rejects with GitHubError. Safe to repeat.
 */
export async function resolveThread(api: GitHubApi, threadId: string): Promise<void> {
  await api.graphql({ query: RESOLVE, variables: { threadId } }, z.unknown());
}

/** Who has write access now. Each account is asked about once. */
export class Writers {
  readonly #api: GitHubApi;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(api: GitHubApi) {
    this.#api = api;
  }

  /** Rejects with GitHubError. */
  async has(account: HostAccount): Promise<boolean> {
    const known = this.#known.get(account.login) ?? this.#ask(account);
    this.#known.set(account.login, known);
    return await known;
  }

  async #ask({ login, databaseId }: HostAccount): Promise<boolean> {
    const permission = await readAccountPermission(this.#api, login);
    return permission?.mayWrite === true && (databaseId == null || permission.accountId === databaseId);
  }
}
