// The reaction to a request: "👀" once it has arrived, then its outcome.
// Why: docs/decisions/023-one-comment-a-request.md

import type { Conclusion } from "../../report/conclusion.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";
import { type ReactionContent, type ReactionPlace, reactionPlace } from "./reaction-place.ts";

const SEEN = "eyes";
const DONE = "hooray";
const FAILED = "-1";
/** Neither: cut short, waiting for an answer, cancelled, not paid for, or nothing ran. */
const UNDONE = "confused";

export class Reaction {
  readonly #place: ReactionPlace | null;
  /** True where an earlier attempt of the job may have reacted. */
  readonly #mayExist: boolean;
  #seenId: number | string | null = null;

  /** Nothing is written on a review, which takes no reactions, and without a request. */
  constructor(api: GitHubApi, options: { readonly subject: RequestSubject; readonly mayExist: boolean }) {
    this.#place = reactionPlace(api, options.subject);
    this.#mayExist = options.mayExist;
  }

  /** The author sees that the request arrived. Safe to repeat. Rejects with GitHubError. */
  async acknowledge(): Promise<void> {
    if (this.#place === null) return;
    this.#seenId = await this.#place.add(SEEN);
  }

  /** The author sees how it ended. Never rejects for GitHub's refusal: the comment says the same. */
  async conclude(conclusion: Conclusion, reason: string): Promise<void> {
    // Where the first one was refused, the second would be.
    if (this.#place === null || this.#seenId === null || conclusion === "detached") return;
    const place = this.#place;
    try {
      const kept = await place.add(endOf(conclusion, reason));
      for (const id of await this.#others(place, kept)) await place.remove(id);
    } catch (cause) {
      if (!(cause instanceof GitHubError)) throw cause;
    }
  }

  /** Reactions of this account from before: of an attempt that failed, for one. */
  async #others(place: ReactionPlace, kept: number | string): Promise<readonly (number | string)[]> {
    if (!this.#mayExist) return this.#seenId === null ? [] : [this.#seenId];
    return (await place.own()).filter((id) => id !== kept);
  }
}

function endOf(conclusion: Conclusion, reason: string): ReactionContent {
  if (reason === "question") return UNDONE;
  if (conclusion === "success" || reason === "help") return DONE;
  return conclusion === "failure" ? FAILED : UNDONE;
}
