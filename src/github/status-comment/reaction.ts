// The reaction to a request: "👀" once it has arrived, then how it ended.
// https://docs.github.com/en/rest/reactions/reactions
// Why: docs/decisions/023-one-comment-a-request.md

import * as z from "zod/mini";
import type { Conclusion } from "../../report/conclusion.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { readViewer } from "../api/viewer.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";

const SEEN = "eyes";
const DONE = "hooray";
const FAILED = "-1";
/** Neither: cut short, waiting for an answer, cancelled, not paid for, or nothing ran. */
const UNDONE = "confused";
const ours: ReadonlySet<string> = new Set([SEEN, DONE, FAILED, UNDONE]);
const MAX_PAGES = 10;

const madeSchema = z.object({ id: z.int() });
const listedSchema = z.object({
  id: z.int(),
  content: z.string(),
  user: z.nullable(z.object({ id: z.int() })),
});

export class Reaction {
  readonly #api: GitHubApi;
  readonly #place: string | null;
  /** True where an earlier attempt of the job may have reacted. */
  readonly #mayExist: boolean;
  #seenId: number | null = null;

  /** Nothing is written on a review, which takes no reactions, and without a request. */
  constructor(api: GitHubApi, options: { readonly subject: RequestSubject; readonly mayExist: boolean }) {
    this.#api = api;
    this.#place = placeOf(options.subject);
    this.#mayExist = options.mayExist;
  }

  /** The author sees that the request arrived. Safe to repeat. Rejects with GitHubError. */
  async acknowledge(): Promise<void> {
    if (this.#place === null) return;
    this.#seenId = await this.#add(this.#place, SEEN);
  }

  /** The author sees how it ended. Never rejects for GitHub's refusal: the comment says the same. */
  async conclude(conclusion: Conclusion, reason: string): Promise<void> {
    // Where the first one was refused, the second would be.
    if (this.#place === null || this.#seenId === null || conclusion === "detached") return;
    const place = this.#place;
    try {
      const kept = await this.#add(place, endOf(conclusion, reason));
      for (const id of await this.#others(place, kept)) {
        const path = `${place}/reactions/${id}`;
        await this.#api.write({ method: "DELETE", path, isRepeatable: true }, z.unknown());
      }
    } catch (cause) {
      if (!(cause instanceof GitHubError)) throw cause;
    }
  }

  async #add(place: string, content: string): Promise<number> {
    const body = { content };
    const write = { method: "POST", path: `${place}/reactions`, body, isRepeatable: true } as const;
    return (await this.#api.write(write, madeSchema)).id;
  }

  /** What this account said before: of an attempt that failed, for one. */
  async #others(place: string, kept: number): Promise<readonly number[]> {
    if (!this.#mayExist) return this.#seenId === null ? [] : [this.#seenId];
    const viewer = await readViewer(this.#api);
    const others: number[] = [];
    for await (const { id, content, user } of this.#api.items(
      `${place}/reactions`,
      listedSchema,
      MAX_PAGES,
    )) {
      if (user?.id === viewer.id && id !== kept && ours.has(content)) others.push(id);
    }
    return others;
  }
}

function endOf(conclusion: Conclusion, reason: string): string {
  if (reason === "question") return UNDONE;
  if (conclusion === "success" || reason === "help") return DONE;
  return conclusion === "failure" ? FAILED : UNDONE;
}

function placeOf({ number, comment, command }: RequestSubject): string | null {
  switch (comment?.type) {
    case "issue_comment":
      return `/issues/comments/${comment.id}`;
    case "pull_request_review_comment":
      return `/pulls/comments/${comment.id}`;
    // GitHub has no reactions to a review.
    case "pull_request_review":
      return null;
    case undefined:
      return command === null ? null : `/issues/${number}`;
  }
}
