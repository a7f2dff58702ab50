// Notes, discussions, draft notes and versions of merge requests, with GitLab's refusals: positions that are not in the diff, notes of others,
// roles. https://docs.gitlab.com/api/notes, …/api/discussions, …/api/draft_notes (2026-11-29)

import { createHash } from "node:crypto";
import { type FileDiff, newLines } from "./diff.ts";
import { quickActionsIn } from "./quick-actions.ts";

export type Result = { readonly status: number; readonly answer: unknown };
export type Person = { readonly id: number; readonly username: string };

export type Position = {
  readonly position_type?: unknown;
  readonly base_sha?: unknown;
  readonly start_sha?: unknown;
  readonly head_sha?: unknown;
  readonly old_path?: unknown;
  readonly new_path?: unknown;
  readonly old_line?: unknown;
  readonly new_line?: unknown;
  readonly line_range?: {
    readonly start?: { readonly line_code?: unknown };
    readonly end?: { readonly line_code?: unknown };
  };
};

export type FakeNote = {
  readonly id: number;
  body: string;
  readonly author: Person;
  readonly system: boolean;
  readonly position: Position | null;
  readonly resolvable: boolean;
  resolved: boolean;
  resolved_by: Person | null;
};
export type FakeDiscussion = {
  readonly id: string;
  readonly individual_note: boolean;
  readonly notes: FakeNote[];
};
export type FakeVersion = {
  readonly id: number;
  readonly base_commit_sha: string;
  readonly start_commit_sha: string;
  readonly head_commit_sha: string;
  readonly diffs: readonly FileDiff[];
};
type Draft = {
  readonly id: number;
  readonly author: Person;
  readonly note: string;
  readonly position: Position | null;
};

export type ReviewCall = {
  readonly method: string;
  /** Below the merge request: "/notes/7". */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly by: Person;
  /** GitLab's number of the account's role. */
  readonly level: number;
};

const BAD_LINE = {
  status: 400,
  answer: { message: `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}` },
};
const FORBIDDEN = { status: 403, answer: { message: "403 Forbidden" } };
const NOT_FOUND = { status: 404, answer: { message: "404 Not found" } };
const DEVELOPER = 30;
const REPORTER = 20;

/** Of one merge request. */
export class FakeReviews {
  readonly discussions: FakeDiscussion[] = [];
  readonly drafts: Draft[] = [];
  /** The newest first. */
  readonly versions: FakeVersion[] = [];
  /** Quick actions that were executed. */
  readonly executed: string[] = [];
  readonly #author: Person;
  readonly #nextId: () => number;

  constructor(author: Person, nextId: () => number) {
    this.#author = author;
    this.#nextId = nextId;
  }

  get notes(): readonly FakeNote[] {
    return this.discussions.flatMap(({ notes }) => notes);
  }

  /** As somebody writes it on the page. */
  say(author: Person, body: string, { replyTo }: { readonly replyTo?: FakeDiscussion } = {}): FakeNote {
    const note = this.#note(author, { body, position: null, isThread: replyTo !== undefined });
    if (replyTo === undefined) this.#add([note], true);
    else replyTo.notes.push(note);
    return note;
  }

  handle(call: ReviewCall): Result {
    const { method, path } = call;
    const [, kind = "", id, more] =
      /^\/(notes|discussions|draft_notes|versions)(?:\/([\w-]+))?(\/\w+)?$/.exec(path) ?? [];
    if (method !== "GET" && call.level < REPORTER) return FORBIDDEN;
    switch (kind) {
      case "notes":
        return this.#ofNotes(call, id);
      case "discussions":
        return this.#ofDiscussions(call, { id, isReply: more === "/notes" });
      case "draft_notes":
        return this.#ofDrafts(call, id);
      case "versions":
        return this.#ofVersions(id);
      default:
        return { status: 404, answer: { error: "404 Not Found" } };
    }
  }

  #ofNotes({ method, body, by }: ReviewCall, id: string | undefined): Result {
    if (method === "GET") return { status: 200, answer: this.notes };
    const text = textOf(body.body);
    if (text === null)
      return { status: 400, answer: { message: '400 Bad request - Note {:note=>["can\'t be blank"]}' } };
    if (method === "POST") {
      const note = this.#note(by, { body: text, position: null, isThread: false });
      this.#add([note], true);
      return { status: 201, answer: note };
    }
    const note = this.notes.find((one) => String(one.id) === id);
    if (note === undefined) return NOT_FOUND;
    if (note.author.id !== by.id) return FORBIDDEN;
    note.body = this.#without(text);
    return { status: 200, answer: note };
  }

  #ofDiscussions(
    { method, body, by, level }: ReviewCall,
    { id, isReply }: { readonly id: string | undefined; readonly isReply: boolean },
  ): Result {
    if (method === "GET") return { status: 200, answer: this.discussions };
    const found = this.discussions.find((one) => one.id === id);
    if (id !== undefined && found === undefined) return NOT_FOUND;
    if (method === "PUT" && found !== undefined) {
      if (level < DEVELOPER && by.id !== this.#author.id) return FORBIDDEN;
      for (const note of found.notes) this.resolve(note, body.resolved === true ? by : null);
      return { status: 200, answer: found };
    }
    const text = textOf(body.body);
    if (text === null) return { status: 400, answer: { error: "body is missing" } };
    if (found !== undefined) {
      if (!isReply) return { status: 405, answer: { error: "405 Not Allowed" } };
      const note = this.#note(by, { body: text, position: null, isThread: true });
      found.notes.push(note);
      return { status: 201, answer: note };
    }
    const position = (body.position ?? null) as Position | null;
    if (position !== null && !this.#isInDiff(position)) return BAD_LINE;
    const note = this.#note(by, { body: text, position, isThread: true });
    return { status: 201, answer: this.#add([note], false) };
  }

  resolve(note: FakeNote, by: Person | null): void {
    note.resolved = by !== null && note.resolvable;
    note.resolved_by = note.resolved ? by : null;
  }

  #ofDrafts({ method, body, by }: ReviewCall, id: string | undefined): Result {
    const own = this.drafts.filter(({ author }) => author.id === by.id);
    if (method === "GET") return { status: 200, answer: own };
    if (method === "DELETE") {
      const at = this.drafts.findIndex((one) => String(one.id) === id && one.author.id === by.id);
      if (at === -1) return NOT_FOUND;
      this.drafts.splice(at, 1);
      return { status: 204, answer: null };
    }
    if (id === "bulk_publish") {
      for (const { note, position } of own) {
        const made = this.#note(by, { body: note, position, isThread: position !== null });
        this.#add([made], position === null);
      }
      this.drafts.splice(0, this.drafts.length, ...this.drafts.filter(({ author }) => author.id !== by.id));
      return { status: 204, answer: null };
    }
    const note = textOf(body.note);
    if (note === null) return { status: 400, answer: { error: "note is missing" } };
    const position = (body.position ?? null) as Position | null;
    if (position !== null && !this.#isInDiff(position)) return BAD_LINE;
    const draft = { id: this.#nextId(), author: by, note, position };
    this.drafts.push(draft);
    return { status: 201, answer: draft };
  }

  #ofVersions(id: string | undefined): Result {
    if (id === undefined)
      return { status: 200, answer: this.versions.map(({ diffs, ...version }) => version) };
    const found = this.versions.find((one) => String(one.id) === id);
    return found === undefined ? NOT_FOUND : { status: 200, answer: found };
  }

  /** By the three commits of one version, its diff, and the numbers of the line on both sides. */
  #isInDiff({ position_type: type, line_range: range, ...at }: Position): boolean {
    const version = this.versions.find(
      (one) =>
        one.base_commit_sha === at.base_sha &&
        one.start_commit_sha === at.start_sha &&
        one.head_commit_sha === at.head_sha,
    );
    const file = version?.diffs.find((one) => one.new_path === at.new_path && one.old_path === at.old_path);
    if (type !== "text" || file === undefined) return false;
    const lines = newLines(file.diff);
    const line = lines.get(Number(at.new_line));
    if (line === undefined || (at.old_line ?? null) !== line.old) return false;
    if (range === undefined) return true;
    const path = createHash("sha1").update(file.new_path).digest("hex");
    const codes = new Set([...lines].map(([number, { at: before }]) => `${path}_${before}_${number}`));
    return [range.start, range.end].every((end) => codes.has(String(end?.line_code)));
  }

  #note(
    author: Person,
    {
      body,
      position,
      isThread,
    }: { readonly body: string; readonly position: Position | null; readonly isThread: boolean },
  ): FakeNote {
    const text = this.#without(body);
    const open = { resolvable: isThread, resolved: false, resolved_by: null };
    return { id: this.#nextId(), body: text, author, system: false, position, ...open };
  }

  #add(notes: FakeNote[], isIndividual: boolean): FakeDiscussion {
    const id = createHash("sha1").update(String(this.#nextId())).digest("hex");
    const discussion = { id, individual_note: isIndividual, notes };
    this.discussions.push(discussion);
    return discussion;
  }

  #without(body: string): string {
    const { text, actions } = quickActionsIn(body);
    this.executed.push(...actions);
    return text;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
