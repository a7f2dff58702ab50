// The step's own comment on the code host: created once, found again by its marker and author, then edited.

import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import {
  type CommentPlace,
  type CommentSubject,
  type CreatedComment,
  commentPlace,
} from "./comment-place.ts";

type HostCommentOptions = {
  readonly api: GitHubApi;
  readonly subject: CommentSubject;
  readonly marker: string;
  /** True where an earlier attempt may have created it. */
  readonly mayExist: boolean;
};

export class HostComment {
  readonly #marker: string;
  readonly #place: CommentPlace;
  #created: CreatedComment | null = null;
  #mayExist: boolean;

  constructor({ api, subject, marker, mayExist }: HostCommentOptions) {
    this.#marker = marker;
    this.#place = commentPlace(api, subject);
    this.#mayExist = mayExist;
  }

  /** Its address; null while it does not exist. */
  get url(): string | null {
    return this.#created?.url ?? null;
  }

  /** Writes the whole comment. Rejects with GitHubError. Safe to repeat: never creates a second one. */
  async write(text: string): Promise<void> {
    const body = `${text}\n${this.#marker}`;
    if (this.#created === null && this.#mayExist) this.#created = await this.#place.find(this.#marker);
    if (this.#created !== null) {
      if (await this.#edited(this.#created, body)) return;
      this.#created = null;
    }
    // A failed creation may have succeeded at GitHub: the next write searches first.
    this.#mayExist = true;
    this.#created = await this.#place.create(body);
  }

  /** False where the comment was deleted: the next one replaces it. */
  async #edited({ id }: CreatedComment, body: string): Promise<boolean> {
    try {
      await this.#place.edit(id, body);
      return true;
    } catch (cause) {
      if (cause instanceof GitHubError && cause.status === 404) return false;
      throw cause;
    }
  }
}
