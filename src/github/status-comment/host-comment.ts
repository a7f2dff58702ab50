// The step's own comment on the code host: created once, found again by its marker and author, then edited.
// https://docs.github.com/en/rest/issues/comments, https://docs.github.com/en/rest/pulls/comments

import * as z from "zod/mini";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { readViewer } from "../api/viewer.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";

const MAX_PAGES = 50;

const createdSchema = z.object({ id: z.int(), html_url: z.string() });
const listedSchema = z.object({
  id: z.int(),
  html_url: z.string(),
  body: z.optional(z.nullable(z.string())),
  user: z.nullable(z.object({ id: z.int() })),
});

type Created = { readonly id: number; readonly url: string };

export type HostCommentOptions = {
  readonly api: GitHubApi;
  readonly subject: Pick<RequestSubject, "number" | "comment">;
  readonly marker: string;
  /** True where an earlier attempt may have created it. */
  readonly mayExist: boolean;
};

export class HostComment {
  readonly #options: HostCommentOptions;
  #created: Created | null = null;
  #mayExist: boolean;

  constructor(options: HostCommentOptions) {
    this.#options = options;
    this.#mayExist = options.mayExist;
  }

  /** Its address; null while it does not exist. */
  get url(): string | null {
    return this.#created?.url ?? null;
  }

  /** Writes the whole comment. Rejects with GitHubError. Safe to repeat: never creates a second one. */
  async write(text: string): Promise<void> {
    const { api, marker } = this.#options;
    const { list, one, create } = this.#paths();
    const body = `${text}\n${marker}`;
    if (this.#created === null && this.#mayExist) this.#created = await this.#find(list);
    if (this.#created !== null) {
      const path = `${one}/${this.#created.id}`;
      const edit = api.write({ method: "PATCH", path, body: { body }, isRepeatable: true }, createdSchema);
      if ((await edit.catch(unlessGone)) !== null) return;
      this.#created = null;
    }
    // A failed creation may have succeeded at GitHub: the next write searches first.
    this.#mayExist = true;
    const write = { method: "POST", path: create, body: { body }, isRepeatable: false } as const;
    const { id, html_url: url } = await api.write(write, createdSchema);
    this.#created = { id, url };
  }

  async #find(list: string): Promise<Created | null> {
    const { api, marker } = this.#options;
    for await (const { id, html_url: url, body, user } of api.items(list, listedSchema, MAX_PAGES)) {
      if (body?.includes(marker) !== true) continue;
      // Anybody can copy a marker.
      if (user?.id === (await readViewer(api)).id) return { id, url };
    }
    return null;
  }

  /** The answer to a comment at a line goes under that line. */
  #paths(): { list: string; one: string; create: string } {
    const { number, comment } = this.#options.subject;
    if (comment?.type === "pull_request_review_comment") {
      const list = `/pulls/${number}/comments`;
      return { list, one: "/pulls/comments", create: `${list}/${comment.firstId ?? comment.id}/replies` };
    }
    const list = `/issues/${number}/comments`;
    return { list, one: "/issues/comments", create: list };
  }
}

/** Null where the comment was deleted: the next one replaces it. */
function unlessGone(cause: unknown): null {
  if (cause instanceof GitHubError && cause.status === 404) return null;
  throw cause;
}
