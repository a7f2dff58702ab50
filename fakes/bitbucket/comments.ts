// Comments of one pull request, with Bitbucket's refusals: fields that it does not know, lines that are not in the diff, comments of others, threads
// that are none. https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests (2026-11-29). That a range is `start_to` to `to`:
// https://github.com/The-PR-Agent/pr-agent/issues/3285 (2026-09-10).

import type { FakeAccount } from "./account.ts";
import { type Answer, badRequest, FORBIDDEN, NOT_FOUND } from "./answers.ts";

export type FakeInline = {
  readonly path: string;
  readonly to: number | null;
  readonly from: number | null;
  readonly start_to: number | null;
};

export type FakeComment = {
  readonly id: number;
  raw: string;
  readonly user: FakeAccount;
  readonly inline: FakeInline | null;
  readonly parent: FakeComment | null;
  deleted: boolean;
  resolution: { readonly user: FakeAccount } | null;
};

/** Bitbucket refuses longer ones. */
const MAX_CHARS = 32_768;

type Call = {
  readonly method: string;
  /** Below the pull request's comments: "/7/resolve". */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly by: FakeAccount;
  readonly nextId: () => number;
  /** The lines of the new file that the newest diff shows. */
  readonly linesOf: (path: string) => ReadonlySet<number>;
};

export class FakeComments {
  readonly all: FakeComment[] = [];
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** As somebody writes it on the page. */
  say(
    user: FakeAccount,
    raw: string,
    { parent = null, id }: { readonly parent?: FakeComment | null; readonly id: number },
  ): FakeComment {
    const comment = { id, raw, user, inline: null, parent, deleted: false, resolution: null };
    this.all.push(comment);
    return comment;
  }

  handle(call: Call): Answer {
    const { method, path, body, by } = call;
    const [, id, more] = /^(?:\/(\d+)(\/resolve)?)?$/.exec(path) ?? [];
    if (id === undefined) {
      if (method === "GET") return { status: 200, answer: this.all.map((one) => this.view(one)) };
      return method === "POST" ? this.#create(call) : NOT_FOUND;
    }
    const found = this.all.find((one) => String(one.id) === id);
    if (found === undefined || (found.deleted && method !== "GET")) return NOT_FOUND;
    if (more !== undefined) return this.#resolve(found, { method, by });
    if (method === "GET") return { status: 200, answer: this.view(found) };
    if (found.user.uuid !== by.uuid) return FORBIDDEN;
    if (method === "DELETE") {
      found.deleted = true;
      return { status: 204, answer: null };
    }
    const raw = rawOf(body);
    if (typeof raw !== "string") return raw;
    found.raw = raw;
    return { status: 200, answer: this.view(found) };
  }

  #create({ body, by, nextId, linesOf }: Call): Answer {
    const raw = rawOf(body);
    if (typeof raw !== "string") return raw;
    const { parent: given, inline: at } = body as {
      parent?: { id?: unknown };
      inline?: Partial<Record<keyof FakeInline, unknown>>;
    };
    const parent = given === undefined ? null : this.all.find(({ id }) => id === given.id);
    if (parent === undefined) return badRequest("parent: The parent comment does not exist.");
    const inline = at === undefined ? null : inlineOf(at, linesOf);
    if (inline !== null && "status" in inline) return inline;
    const comment = { id: nextId(), raw, user: by, inline, parent, deleted: false, resolution: null };
    this.all.push(comment);
    return { status: 201, answer: this.view(comment) };
  }

  #resolve(
    found: FakeComment,
    { method, by }: { readonly method: string; readonly by: FakeAccount },
  ): Answer {
    if (found.parent !== null || found.inline === null) return FORBIDDEN;
    if (method === "DELETE") {
      if (found.resolution === null) return NOT_FOUND;
      found.resolution = null;
      return { status: 204, answer: null };
    }
    if (found.resolution !== null)
      return { status: 409, answer: { type: "error", error: { message: "Comment already resolved." } } };
    found.resolution = { user: by };
    return { status: 200, answer: { type: "comment_resolution", user: by } };
  }

  view({ id, raw, user, inline, parent, deleted, resolution }: FakeComment): object {
    return {
      id,
      type: "pullrequest_comment",
      content: { type: "rendered", raw: deleted ? "" : raw, markup: "markdown", html: "" },
      user,
      deleted,
      pending: false,
      ...(inline === null ? {} : { inline }),
      ...(parent === null ? {} : { parent: { id: parent.id } }),
      ...(resolution === null ? {} : { resolution: { type: "comment_resolution", user: resolution.user } }),
      links: { html: { href: `${this.#url}/_/diff#comment-${id}` } },
    };
  }
}

function rawOf(body: Readonly<Record<string, unknown>>): string | Answer {
  // "type" is refused: https://github.com/0pilatos0/bitbucket-cli/pull/105 (2026-02-09).
  const unknown = Object.keys(body).filter(
    (name) => !["content", "inline", "parent", "pending"].includes(name),
  );
  if (unknown.length > 0) return badRequest(`${unknown[0]}: extra keys not allowed`);
  const { raw, ...others } = (body.content ?? {}) as Readonly<Record<string, unknown>>;
  if (Object.keys(others).length > 0)
    return badRequest(`content.${Object.keys(others)[0]}: extra keys not allowed`);
  if (typeof raw !== "string" || raw.trim() === "")
    return badRequest("content.raw: required key not provided");
  if (raw.length > MAX_CHARS)
    return badRequest(
      `content.raw: Ensure this value has at most ${MAX_CHARS} characters (it has ${raw.length}).`,
    );
  return raw;
}

function inlineOf(
  { path, to, from, start_to: start, ...others }: Partial<Record<keyof FakeInline, unknown>>,
  linesOf: (path: string) => ReadonlySet<number>,
): FakeInline | Answer {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return badRequest(`inline.${unknown}: extra keys not allowed`);
  if (typeof path !== "string") return badRequest("inline.path: required key not provided");
  for (const [name, value] of Object.entries({ to, from, start_to: start }))
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) >= 1))
      return badRequest(`inline.${name}: expected int`);
  const shown = linesOf(path);
  if (typeof start === "number" && start > Number(to))
    return badRequest('"start_to" must be less than or equal to "to"');
  for (const line of [to, start])
    if (typeof line === "number" && !shown.has(line))
      return badRequest("inline: The line is not in the diff.");
  const numberOr = (value: unknown) => (typeof value === "number" ? value : null);
  return { path, to: numberOr(to), from: numberOr(from), start_to: numberOr(start) };
}
