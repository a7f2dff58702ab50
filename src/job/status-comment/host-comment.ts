// The step's own comment on the code host: created once, found again by its marker and author, then edited.

import { CodeHostError } from "../code-host/code-host-error.ts";
import type { CommentPlace, CreatedComment } from "./comment-place.ts";

type HostCommentOptions = {
  readonly place: CommentPlace;
  readonly marker: string;
  /** True where an earlier attempt may have created it. */
  readonly mayExist: boolean;
};

export class HostComment {
  readonly #marker: string;
  readonly #place: CommentPlace;
  #created: CreatedComment | null = null;
  #mayExist: boolean;

  constructor({ place, marker, mayExist }: HostCommentOptions) {
    this.#marker = marker;
    this.#place = place;
    this.#mayExist = mayExist;
  }

  /** Its address; null while it does not exist. */
  get url(): string | null {
    return this.#created?.url ?? null;
  }

  /** Writes the whole comment. Rejects with CodeHostError. Safe to repeat: never creates a second one. */
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
      if (cause instanceof CodeHostError && cause.status === 404) return false;
      throw cause;
    }
  }
}
