// The step's own comment on the code host: made once, found again by its marker and its author, then edited.
// https://docs.github.com/en/rest/issues/comments, https://docs.github.com/en/rest/pulls/comments

import * as z from "zod/mini";
import { type GitHubApi, GitHubError } from "../api/github-api.ts";
import { readViewer } from "../api/viewer.ts";
import type { Talk } from "../trigger/agent-request.ts";

const MAX_PAGES = 50;

const madeSchema = z.object({ id: z.int(), html_url: z.string() });
const listedSchema = z.object({
  id: z.int(),
  html_url: z.string(),
  body: z.optional(z.nullable(z.string())),
  user: z.nullable(z.object({ id: z.int() })),
});

type Written = { readonly id: number; readonly url: string };

export type ThreadCommentOptions = {
  readonly api: GitHubApi;
  readonly talk: Pick<Talk, "thread" | "remark">;
  readonly marker: string;
  /** True where an earlier attempt may have made it. */
  readonly mayExist: boolean;
};

export class ThreadComment {
  readonly #options: ThreadCommentOptions;
  #written: Written | null = null;
  #mayExist: boolean;

  constructor(options: ThreadCommentOptions) {
    this.#options = options;
    this.#mayExist = options.mayExist;
  }

  /** Its address; null while it is not written. */
  get url(): string | null {
    return this.#written?.url ?? null;
  }

  /** Writes the whole comment. Rejects with GitHubError. Safe to repeat: a second one is never made. */
  async write(text: string): Promise<void> {
    const { api, marker } = this.#options;
    const { list, one, make } = this.#paths();
    const body = `${text}\n${marker}`;
    if (this.#written === null && this.#mayExist) this.#written = await this.#find(list);
    if (this.#written !== null) {
      const path = `${one}/${this.#written.id}`;
      const edit = api.write({ method: "PATCH", path, body: { body }, isRepeatable: true }, madeSchema);
      if ((await edit.catch(unlessGone)) !== null) return;
      this.#written = null;
    }
    // Nobody knows what became of one that failed: the next looks first.
    this.#mayExist = true;
    const write = { method: "POST", path: make, body: { body }, isRepeatable: false } as const;
    const { id, html_url: url } = await api.write(write, madeSchema);
    this.#written = { id, url };
  }

  async #find(list: string): Promise<Written | null> {
    const { api, marker } = this.#options;
    for await (const { id, html_url: url, body, user } of api.items(list, listedSchema, MAX_PAGES)) {
      if (body?.includes(marker) !== true) continue;
      // Anybody can copy a marker.
      if (user?.id === (await readViewer(api)).id) return { id, url };
    }
    return null;
  }

  /** An answer to a comment on a line belongs under that line. */
  #paths(): { list: string; one: string; make: string } {
    const { thread, remark } = this.#options.talk;
    if (remark?.type === "pull_request_review_comment") {
      const list = `/pulls/${thread.number}/comments`;
      return { list, one: "/pulls/comments", make: `${list}/${remark.firstId ?? remark.id}/replies` };
    }
    const list = `/issues/${thread.number}/comments`;
    return { list, one: "/issues/comments", make: list };
  }
}

/** Somebody has deleted it: what is to be said is said in another. */
function unlessGone(cause: unknown): null {
  if (cause instanceof GitHubError && cause.status === 404) return null;
  throw cause;
}
