// Comments of a pull request: those of the token's own account, by their markers, and one write each.
// https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests (2026-11-29)

import * as z from "zod/mini";
import { type Account, accountSchema, type TokenAccount } from "./account.ts";
import type { BitbucketApi } from "./bitbucket-api.ts";
import { BitbucketError } from "./bitbucket-error.ts";
import { fromBitbucket, toBitbucket } from "./bitbucket-markdown.ts";

const MAX_PAGES = 100;
const PAGE = 50;
/** Any marker of ours, wherever it is. */
const MARKED = /^<!-- agent-service:/m;

const listedSchema = z.object({
  id: z.int(),
  content: z.object({ raw: z.optional(z.nullable(z.string())) }),
  user: z.optional(z.nullable(accountSchema)),
  deleted: z.optional(z.boolean()),
  pending: z.optional(z.boolean()),
  inline: z.optional(z.nullable(z.object({ path: z.string() }))),
  parent: z.optional(z.nullable(z.object({ id: z.int() }))),
  resolution: z.optional(z.nullable(z.object({ user: z.optional(z.nullable(accountSchema)) }))),
});
const writtenSchema = z.object({ id: z.int(), user: z.optional(z.nullable(accountSchema)) });

export type PullComment = {
  readonly id: number;
  /** As it was sent, with our markers as they are elsewhere. */
  readonly body: string;
  readonly author: Account | null;
  readonly isInline: boolean;
  /** The comment that it answers. */
  readonly parentId: number | null;
  /** Null where its thread is open. */
  readonly resolution: { readonly by: Account | null } | null;
};

/** The lines of the new file, inclusive. https://github.com/The-PR-Agent/pr-agent/issues/3285: a range is its first line and its last. */
export type InlinePlace = { readonly path: string; readonly to: number; readonly start_to?: number };

/** The comments of one pull request. Each call rejects with BitbucketError. */
export class PullComments {
  readonly #api: BitbucketApi;
  readonly #account: TokenAccount;
  readonly #path: string;

  constructor(
    api: BitbucketApi,
    { account, number }: { readonly account: TokenAccount; readonly number: number },
  ) {
    this.#api = api;
    this.#account = account;
    this.#path = `/pullrequests/${number}/comments`;
  }

  /** Every page, oldest first; by then it is known which are the token's own. Deleted ones are left out, and drafts of others' reviews. */
  async list(): Promise<{ readonly all: readonly PullComment[]; readonly isWhole: boolean }> {
    const all: PullComment[] = [];
    let count = 0;
    for await (const { id, content, user, deleted, pending, inline, parent, resolution } of this.#api.items(
      `${this.#path}?sort=created_on`,
      listedSchema,
      MAX_PAGES,
    )) {
      count += 1;
      if (deleted === true || pending === true) continue;
      all.push({
        id,
        body: fromBitbucket(content.raw ?? ""),
        author: user ?? null,
        isInline: inline != null,
        parentId: parent?.id ?? null,
        resolution: resolution == null ? null : { by: resolution.user ?? null },
      });
    }
    const marked = all.filter(({ body }) => MARKED.test(body));
    const candidates = marked.map(({ id, body, author }) => ({ id, raw: body, author }));
    await this.#account.findAmong(candidates, ({ id, raw }) => this.edit(id, raw));
    return { all, isWhole: count < MAX_PAGES * PAGE };
  }

  isOwn({ author }: PullComment): boolean {
    return this.#account.owns(author);
  }

  /** Returns its id. */
  async create(
    text: string,
    more: { readonly inline?: InlinePlace; readonly parent?: { readonly id: number } } = {},
  ): Promise<number> {
    const body = { content: { raw: toBitbucket(text) }, ...more };
    const { id, user } = await this.#api.write({ method: "POST", path: this.#path, body }, writtenSchema);
    this.#account.learn(user);
    return id;
  }

  async edit(id: number, text: string): Promise<void> {
    const body = { content: { raw: toBitbucket(text) } };
    await this.#api.write({ method: "PUT", path: `${this.#path}/${id}`, body }, writtenSchema);
  }

  /** Of a thread, by its first comment. One that is resolved already stays so. */
  async resolve(id: number): Promise<void> {
    const write = { method: "POST", path: `${this.#path}/${id}/resolve` } as const;
    await this.#api.write(write, z.unknown()).catch((cause: unknown) => {
      if (!(cause instanceof BitbucketError && cause.status === 409)) throw cause;
    });
  }
}
