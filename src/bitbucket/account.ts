// The account of the token. Bitbucket refuses GET /user to access tokens of repositories, projects and workspaces, whose accounts are no
// person's: which account it is shows in what the token has written, and in which comments it may edit.
// https://developer.atlassian.com/cloud/bitbucket/rest/intro/#access-tokens, …/api-group-users (2026-11-29)
// Why: docs/decisions/188-bitbucket-writes-back.md

import * as z from "zod/mini";
import type { BitbucketApi } from "./bitbucket-api.ts";
import { BitbucketError } from "./bitbucket-error.ts";

/** Accounts whose comments are tried: others may have copied a marker. */
const MAX_TRIED = 5;

/** "user" is a person; "app_user" is no person: an access token, or an app. */
export const accountSchema = z.object({
  uuid: z.string(),
  type: z.optional(z.string()),
  display_name: z.optional(z.nullable(z.string())),
  nickname: z.optional(z.nullable(z.string())),
});
export type Account = z.infer<typeof accountSchema>;

/** A comment that may be the token's own. */
export type OwnCandidate = { readonly id: number; readonly raw: string; readonly author: Account | null };

/** One for a job: what is learned stays. */
export class TokenAccount {
  #known: Account | null;

  constructor(known: Account | null) {
    this.#known = known;
  }

  /** Asks Bitbucket. Rejects with BitbucketError where it does not answer. */
  static async read(api: BitbucketApi): Promise<TokenAccount> {
    try {
      return new TokenAccount(await api.readGlobal("/user", accountSchema));
    } catch (cause) {
      // The token has proved itself by another call.
      if (cause instanceof BitbucketError && cause.isDenied) return new TokenAccount(null);
      throw cause;
    }
  }

  /** Null while it is not known. */
  get known(): Account | null {
    return this.#known;
  }

  owns(author: Account | null | undefined): boolean {
    return this.#known !== null && author?.uuid === this.#known.uuid;
  }

  /** Of an answer to what the token has written. */
  learn(author: Account | null | undefined): void {
    this.#known ??= author ?? null;
  }

  /**
   * Learns which account it is from comments with our markers, the newest last: Bitbucket lets nobody but the author edit one, so that the
   * newest of each account is written again as it is. Rejects with BitbucketError. Safe to repeat.
   */
  async findAmong(
    candidates: readonly OwnCandidate[],
    edit: (comment: OwnCandidate) => Promise<void>,
  ): Promise<void> {
    if (this.#known !== null) return;
    const newest = new Map<string, OwnCandidate>();
    for (const comment of candidates) if (comment.author !== null) newest.set(comment.author.uuid, comment);
    // A token's account is no person's: those are tried last.
    const order = [...newest.values()].toSorted(
      (a, b) => Number(isPerson(a.author)) - Number(isPerson(b.author)),
    );
    for (const comment of order.slice(0, MAX_TRIED)) {
      const isOwn = await edit(comment).then(
        () => true,
        (cause: unknown) => {
          // 401: the token is not valid any more.
          if (cause instanceof BitbucketError && (cause.status === 403 || cause.status === 404)) return false;
          throw cause;
        },
      );
      if (!isOwn) continue;
      this.#known = comment.author;
      return;
    }
  }
}

export function isPerson(account: Account | null): boolean {
  return account?.type === undefined || account.type === "user";
}
