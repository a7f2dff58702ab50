// Reviews of a pull request, and the files that it changes, as GitHub's REST API has them. A comment is taken only at
// lines that the file's patch shows. https://docs.github.com/en/rest/pulls/reviews, …/pulls/pulls#list-pull-requests-files

import type { IncomingMessage, ServerResponse } from "node:http";
import { ACTIONS_BOT, type CodeHostComment, type CommentShelf } from "./comments.ts";
import { sendJson } from "./server.ts";

export type ChangedFile = {
  readonly filename: string;
  readonly status: "added" | "modified" | "removed" | "renamed";
  readonly previous_filename?: string;
  /** From its first hunk on; a binary file has none. */
  readonly patch?: string;
};

type SentComment = {
  readonly path: string;
  readonly line: number;
  readonly side?: string;
  readonly start_line?: number;
  readonly start_side?: string;
  readonly body: string;
};

type SentReview = {
  readonly commit_id?: string;
  readonly event?: string;
  readonly body?: string;
  readonly comments?: readonly SentComment[];
};

export type CodeHostReview = CodeHostComment & {
  readonly state: string;
  readonly commit_id: string | undefined;
};

export class CodeHostReviews {
  readonly #files = new Map<number, readonly ChangedFile[]>();
  readonly #pending = new Map<number, CodeHostReview>();
  readonly #refused = new Set<string>();
  readonly #resolvers = new Map<number, string>();
  readonly #hidden = new Set<number>();
  #losesAnswer = false;
  #nextId = 8_000_001;

  setFiles(number: number, files: readonly ChangedFile[]): void {
    this.#files.set(number, files);
  }

  /** A line that is refused although the patch shows it, as after a push to the head. */
  refuse(place: { readonly path: string; readonly line: number }): void {
    this.#refused.add(`${place.path}:${place.line}`);
  }

  /** A pending review of another job, or of a killed one. */
  leavePending(number: number, body: string): void {
    this.#pending.set(number, reviewOf(this.#nextId++, { body, state: "PENDING" }));
  }

  /** Stores the next review, and cuts the connection instead of the answer. */
  loseNextAnswer(): void {
    this.#losesAnswer = true;
  }

  /** The thread of a comment. */
  resolve(id: number, login: string): void {
    this.#resolvers.set(id, login);
  }

  /** Somebody presses "Unresolve conversation". */
  reopen(id: number): void {
    this.#resolvers.delete(id);
  }

  resolverOf(id: number): string | undefined {
    return this.#resolvers.get(id);
  }

  /** Somebody with write access hides a review. */
  hide(id: number): void {
    this.#hidden.add(id);
  }

  isHidden(id: number): boolean {
    return this.#hidden.has(id);
  }

  pendingOf(number: number): CodeHostReview | undefined {
    return this.#pending.get(number);
  }

  clear(): void {
    this.#refused.clear();
    this.#pending.clear();
    this.#resolvers.clear();
    this.#hidden.clear();
  }

  /** A list: changed files, or reviews, oldest first, pending ones last. Undefined for another path. */
  list(path: string, shelf: CommentShelf): readonly object[] | undefined {
    const [, number = "", kind] = /^\/pulls\/(\d+)\/(files|reviews)$/.exec(path) ?? [];
    if (kind === "files") return this.#files.get(Number(number)) ?? [];
    if (kind !== "reviews") return undefined;
    const pending = this.#pending.get(Number(number));
    return [...shelf.list(path), ...(pending === undefined ? [] : [pending])];
  }

  /** Answers a write. False for a path that is none of these. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    asked: { path: string; body: string; shelf: CommentShelf; isDenied: boolean },
  ): boolean {
    const { path, body, shelf, isDenied } = asked;
    const [, number = "", id] = /^\/pulls\/(\d+)\/reviews(?:\/(\d+))?$/.exec(path) ?? [];
    const isMade = request.method === "POST" && id === undefined;
    const isOfOne = (request.method === "DELETE" || request.method === "PUT") && id !== undefined;
    if (number === "" || !(isMade || isOfOne)) return false;
    if (isDenied) {
      response.setHeader("x-accepted-github-permissions", "pull_requests=write");
      sendJson(response, 403, { message: "Resource not accessible by integration", status: "403" });
    } else if (request.method === "PUT") this.#edit(response, { path, id: Number(id), body, shelf });
    else if (isMade) this.#make(response, { number: Number(number), sent: JSON.parse(body), shelf });
    else this.#drop(response, { number: Number(number), id: Number(id) });
    return true;
  }

  #make(response: ServerResponse, made: { number: number; sent: SentReview; shelf: CommentShelf }): void {
    const { number, sent, shelf } = made;
    const faults = this.#faultsOf(number, sent);
    if (faults.length > 0) {
      sendJson(response, 422, { message: "Unprocessable Entity", errors: faults, status: "422" });
      return;
    }
    const id = this.#nextId++;
    const isSent = sent.event !== undefined;
    const review = reviewOf(id, {
      body: sent.body ?? "",
      state: isSent ? "COMMENTED" : "PENDING",
      commit_id: sent.commit_id,
      html_url: `${shelf.webUrl}/pull/${number}#pullrequestreview-${id}`,
    });
    if (!isSent) this.#pending.set(number, review);
    else {
      shelf.list(`/pulls/${number}/reviews`).push(review);
      for (const comment of sent.comments ?? []) this.#comment({ number, review, comment, shelf });
    }
    if (isSent && this.#losesAnswer) {
      this.#losesAnswer = false;
      response.destroy();
    } else sendJson(response, 200, review);
  }

  #comment(made: {
    number: number;
    review: CodeHostReview;
    comment: SentComment;
    shelf: CommentShelf;
  }): void {
    const { number, review, comment, shelf } = made;
    const id = this.#nextId++;
    shelf.list(`/pulls/${number}/comments`).push({
      ...comment,
      id,
      original_line: comment.line,
      original_start_line: comment.start_line ?? null,
      original_commit_id: review.commit_id,
      user: ACTIONS_BOT,
      pull_request_review_id: review.id,
      created_at: review.submitted_at,
      updated_at: review.submitted_at,
      html_url: `${shelf.webUrl}/pull/${number}#discussion_r${id}`,
    });
  }

  /** https://docs.github.com/en/rest/pulls/reviews#update-a-review-for-a-pull-request */
  #edit(
    response: ServerResponse,
    edit: { path: string; id: number; body: string; shelf: CommentShelf },
  ): void {
    const list = edit.shelf.list(edit.path.slice(0, edit.path.lastIndexOf("/")));
    const review = list.find(({ id }) => id === edit.id);
    const text = String((JSON.parse(edit.body) as SentReview).body ?? "");
    if (review === undefined) sendJson(response, 404, { message: "Not Found", status: "404" });
    else if (text.length > 65_536) sendJson(response, 422, { message: "Body is too long", status: "422" });
    else sendJson(response, 200, Object.assign(review, { body: text }));
  }

  #drop(response: ServerResponse, { number, id }: { number: number; id: number }): void {
    const review = this.#pending.get(number);
    if (review?.id !== id) {
      sendJson(response, 404, { message: "Not Found", status: "404" });
      return;
    }
    this.#pending.delete(number);
    sendJson(response, 200, review);
  }

  #faultsOf(number: number, { event, body = "", comments = [] }: SentReview): string[] {
    const files = new Map((this.#files.get(number) ?? []).map((file) => [file.filename, file]));
    const line = "Pull request review thread line must be part of the diff";
    const faults = comments.flatMap((comment) => {
      if (comment.body.trim() === "" || comment.body.length > 65_536) return ["Body is too long"];
      const file = files.get(comment.path);
      if (file === undefined) return ["Path could not be resolved"];
      if (this.#refused.has(`${comment.path}:${comment.line}`)) return [line];
      return isInOneHunk(file.patch ?? "", comment) ? [] : [line];
    });
    if (this.#pending.has(number)) faults.push("User can only have one pending review per pull request");
    if (event === "COMMENT" && body === "" && comments.length === 0) faults.push("Body can't be blank");
    if (body.length > 65_536) faults.push("Body is too long (maximum is 65536 characters)");
    return faults;
  }
}

function reviewOf(
  id: number,
  fields: { body: string; state: string; commit_id?: string | undefined; html_url?: string },
): CodeHostReview {
  const at = new Date().toISOString();
  return {
    id,
    user: ACTIONS_BOT,
    submitted_at: at,
    html_url: `https://code-host.example/${id}`,
    commit_id: undefined,
    ...fields,
  };
}

/** Reads the numbers of the hunks' headers; the Action counts lines instead. */
function isInOneHunk(
  patch: string,
  { line, start_line: start = line, side = "RIGHT" }: SentComment,
): boolean {
  return [...patch.matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gm)].some(([, from, count = "1"]) => {
    const first = Number(from);
    return side === "RIGHT" && first <= start && start <= line && line < first + Number(count);
  });
}

/** A pull request's files as the code host lists them, from `git diff` of base and head. */
export function filesOfDiff(diff: string): ChangedFile[] {
  return `\n${diff}`
    .split("\ndiff --git ")
    .slice(1)
    .map((part) => {
      const hunks = part.indexOf("\n@@ ");
      const head = hunks < 0 ? part : part.slice(0, hunks);
      const [, before = "", after = before] = /^a\/(.+) b\/(.+)$/m.exec(head) ?? [];
      const isNew = head.includes("\nnew file");
      const renamed = head.includes("\nrename from ") ? { previous_filename: before } : {};
      const status = isNew
        ? "added"
        : head.includes("\ndeleted file")
          ? "removed"
          : head.includes("\nrename from ")
            ? "renamed"
            : "modified";
      return { filename: after, status, ...renamed, ...(hunks < 0 ? {} : { patch: part.slice(hunks + 1) }) };
    });
}
