// Comments and reactions as a job's token writes them, under the account of GitHub Actions.
// https://docs.github.com/en/rest/issues/comments, …/pulls/comments, …/reactions

import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "./server.ts";

/** https://api.github.com/users/github-actions[bot] */
export const ACTIONS_BOT = { login: "github-actions[bot]", id: 41_898_282, type: "Bot" };

/** The permissions of a job's token that matter here. */
export type TokenPermission = "issues" | "pull-requests" | "contents" | "discussions";

export type CodeHostComment = Record<string, unknown> & { readonly id: number; readonly body: string };

export type CommentShelf = {
  readonly webUrl: string;
  /** Comments of a path like "/issues/7/comments". */
  list(path: string): CodeHostComment[];
  /** The comment at a path like "/issues/comments/3000001"; undefined where there is none. */
  find(path: string): CodeHostComment | undefined;
  put(path: string, comment: CodeHostComment): void;
};

export class CodeHostComments {
  readonly #denied = new Set<TokenPermission>();
  readonly #reactions = new Map<string, { id: number; content: string; user: typeof ACTIONS_BOT }[]>();
  #nextId = 7_000_001;

  /** Removes a permission from every job's token. */
  deny(permission: TokenPermission): void {
    this.#denied.add(permission);
  }

  allowAll(): void {
    this.#denied.clear();
  }

  isDenied(permission: TokenPermission): boolean {
    return this.#denied.has(permission);
  }

  /** Answers a write. False for another path. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    options: { path: string; body: string; shelf: CommentShelf },
  ): boolean {
    const { path, body, shelf } = options;
    const reaction = /^(\/(issues|pulls)\/(?:comments\/)?\d+)\/reactions$/.exec(path);
    const made = /^\/(issues|pulls)\/(\d+)\/comments$/.exec(path);
    const reply = /^\/pulls\/(\d+)\/comments\/(\d+)\/replies$/.exec(path);
    const edited = /^\/(issues|pulls)\/comments\/(\d+)$/.exec(path);
    const { method } = request;
    const reacted = /^(\/(?:issues|pulls)\/(?:comments\/)?\d+)\/reactions(?:\/(\d+))?$/.exec(path);
    if (reacted !== null && method !== "POST") return this.#handleReaction(request, response, reacted);
    if (!(method === "POST" && (reaction ?? made ?? reply)) && !(method === "PATCH" && edited)) return false;
    const permission = path.startsWith("/issues/") ? "issues" : "pull-requests";
    // Either permission allows comments on a pull request.
    const isDenied = this.isDenied(permission) && (permission !== "issues" || this.isDenied("pull-requests"));
    if (isDenied) {
      response.setHeader("x-accepted-github-permissions", "issues=write; pull_requests=write");
      sendJson(response, 403, { message: "Resource not accessible by integration", status: "403" });
      return true;
    }
    const given = JSON.parse(body) as Record<string, unknown>;
    if (reaction !== null)
      this.#react(response, { place: reaction[1] ?? "", content: String(given.content) });
    else if (edited !== null) this.#edit(response, { path, given, shelf });
    else {
      const [kind, number] = reply === null ? [made?.[1] ?? "", made?.[2] ?? ""] : ["pulls", reply[1] ?? ""];
      this.#make(response, {
        kind,
        number,
        given,
        shelf,
        inReplyTo: reply === null ? null : Number(reply[2]),
      });
    }
    return true;
  }

  /** What jobs have reacted with, oldest first, by the place below the repository: "/issues/comments/3000001". */
  reactionsTo(place: string): readonly string[] {
    return (this.#reactions.get(place) ?? []).map(({ content }) => content);
  }

  clearReactions(): void {
    this.#reactions.clear();
  }

  /** The same one again is the one that is there. */
  #react(response: ServerResponse, { place, content }: { place: string; content: string }): void {
    const there = this.#reactions.get(place) ?? [];
    const same = there.find((reaction) => reaction.content === content);
    const reaction = same ?? { id: this.#nextId++, content, user: ACTIONS_BOT };
    this.#reactions.set(place, same === undefined ? [...there, reaction] : there);
    sendJson(response, same === undefined ? 201 : 200, reaction);
  }

  #handleReaction(
    request: IncomingMessage,
    response: ServerResponse,
    [, place = "", id]: RegExpExecArray,
  ): boolean {
    const there = this.#reactions.get(place) ?? [];
    if (request.method === "GET" && id === undefined) sendJson(response, 200, there);
    else if (request.method === "DELETE" && id !== undefined) {
      this.#reactions.set(
        place,
        there.filter((reaction) => reaction.id !== Number(id)),
      );
      response.writeHead(204).end();
    } else return false;
    return true;
  }

  #make(
    response: ServerResponse,
    made: {
      kind: string;
      number: string;
      given: Record<string, unknown>;
      shelf: CommentShelf;
      inReplyTo: number | null;
    },
  ): void {
    const { kind, number, given, shelf, inReplyTo } = made;
    const text = String(given.body ?? "");
    if (text === "" || text.length > 65_536) {
      const message = "Validation Failed";
      sendJson(response, 422, { message, errors: ["body is too long (maximum is 65536 characters)"] });
      return;
    }
    const id = this.#nextId++;
    const at = new Date().toISOString();
    const anchor = kind === "issues" ? `issuecomment-${id}` : `discussion_r${id}`;
    const comment: CodeHostComment = {
      id,
      body: text,
      html_url: `${shelf.webUrl}/pull/${number}#${anchor}`,
      user: ACTIONS_BOT,
      created_at: at,
      updated_at: at,
      ...(inReplyTo === null ? {} : { in_reply_to_id: inReplyTo }),
    };
    shelf.list(`/${kind}/${number}/comments`).push(comment);
    shelf.put(`/${kind}/comments/${id}`, comment);
    sendJson(response, 201, comment);
  }

  #edit(
    response: ServerResponse,
    edit: { path: string; given: Record<string, unknown>; shelf: CommentShelf },
  ): void {
    const { path, given, shelf } = edit;
    const comment = shelf.find(path);
    if (comment === undefined) {
      sendJson(response, 404, { message: "Not Found", status: "404" });
      return;
    }
    Object.assign(comment, { body: String(given.body), updated_at: new Date().toISOString() });
    sendJson(response, 200, comment);
  }
}
