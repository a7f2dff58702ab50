// Notes, discussions, draft notes and versions of merge requests, with GitLab's refusals: positions that are not in the diff, notes of others,
// roles. https://docs.gitlab.com/api/notes, …/api/discussions, …/api/draft_notes (2026-11-29)

import { createHash } from "node:crypto";
import { type FileDiff, newLines } from "./diff.ts";
import { quickActionsIn } from "./quick-actions.ts";
import { personView, type Site, timeOf } from "./views.ts";

export type Result = {
  readonly status: number;
  readonly answer: unknown;
  /** A list without pages. */
  readonly isWhole?: boolean;
};
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
  /** Null where the diff does not have the line. */
  readonly lineCode: string | null;
};

type Subject = {
  /** Of the merge request. */
  readonly author: Person;
  readonly iid: number;
  readonly mergeRequestId: number;
  readonly site: Site;
  readonly nextId: () => number;
};

export type ReviewCall = {
  readonly method: string;
  /** Below the merge request: "/notes/7". */
  readonly path: string;
  readonly query: URLSearchParams;
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
  /** Drafts get no line code, whatever their position: https://gitlab.com/gitlab-org/gitlab/-/work_items/590869 */
  findsNoLines = false;
  readonly #subject: Subject;

  constructor(subject: Subject) {
    this.#subject = subject;
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

  #ofNotes({ method, query, body, by }: ReviewCall, id: string | undefined): Result {
    const found = this.notes.find((one) => String(one.id) === id);
    if (id !== undefined && found === undefined) return NOT_FOUND;
    if (method === "GET") {
      if (found !== undefined) return { status: 200, answer: this.#noteView(found) };
      const sign = query.get("sort") === "asc" ? 1 : -1;
      const sorted = this.notes.toSorted((a, b) => sign * (a.id - b.id));
      return { status: 200, answer: sorted.map((one) => this.#noteView(one)) };
    }
    const text = textOf(body.body);
    if (text === null)
      return { status: 400, answer: { message: '400 Bad request - Note {:note=>["can\'t be blank"]}' } };
    if (method === "POST") {
      const note = this.#note(by, { body: text, position: null, isThread: false });
      this.#add([note], true);
      return { status: 201, answer: this.#noteView(note) };
    }
    if (found === undefined) return { status: 405, answer: { error: "405 Not Allowed" } };
    if (found.author.id !== by.id) return FORBIDDEN;
    found.body = this.#without(text);
    return { status: 200, answer: this.#noteView(found) };
  }

  #ofDiscussions(
    { method, body, by, level }: ReviewCall,
    { id, isReply }: { readonly id: string | undefined; readonly isReply: boolean },
  ): Result {
    const found = this.discussions.find((one) => one.id === id);
    if (id !== undefined && found === undefined) return NOT_FOUND;
    if (method === "GET") {
      if (found !== undefined) return { status: 200, answer: this.#discussionView(found) };
      return { status: 200, answer: this.discussions.map((one) => this.#discussionView(one)) };
    }
    if (method === "PUT" && found !== undefined) {
      if (typeof body.resolved !== "boolean")
        return { status: 400, answer: { error: "resolved is missing" } };
      if (!found.notes.some(({ resolvable }) => resolvable)) return FORBIDDEN;
      if (level < DEVELOPER && by.id !== this.#subject.author.id) return FORBIDDEN;
      for (const note of found.notes) this.resolve(note, body.resolved === true ? by : null);
      return { status: 200, answer: this.#discussionView(found) };
    }
    const text = textOf(body.body);
    if (text === null) return { status: 400, answer: { error: "body is missing" } };
    if (found !== undefined) {
      if (!isReply) return { status: 405, answer: { error: "405 Not Allowed" } };
      const note = this.#note(by, { body: text, position: null, isThread: true });
      found.notes.push(note);
      return { status: 201, answer: this.#noteView(note) };
    }
    const position = (body.position ?? null) as Position | null;
    if (position !== null && this.#lineCodeOf(position) === null) return BAD_LINE;
    const note = this.#note(by, { body: text, position, isThread: true });
    return { status: 201, answer: this.#discussionView(this.#add([note], false)) };
  }

  resolve(note: FakeNote, by: Person | null): void {
    note.resolved = by !== null && note.resolvable;
    note.resolved_by = note.resolved ? by : null;
  }

  /**
   * A position is not checked before it is published: then a line that is not in the diff fails all of them, each time.
   * https://github.com/Nikita-Filonov/ai-review/pull/117 (2026-08-04)
   */
  #ofDrafts({ method, body, by }: ReviewCall, id: string | undefined): Result {
    const own = this.drafts.filter(({ author }) => author.id === by.id);
    if (method === "POST" && id === "bulk_publish") return this.#publish(own, by);
    const found = own.find((one) => String(one.id) === id);
    if (id !== undefined && found === undefined) return NOT_FOUND;
    if (method === "GET") {
      if (found !== undefined) return { status: 200, answer: this.#draftView(found) };
      return { status: 200, answer: own.map((one) => this.#draftView(one)), isWhole: true };
    }
    if (method === "DELETE" && found !== undefined) {
      this.drafts.splice(this.drafts.indexOf(found), 1);
      return { status: 204, answer: null };
    }
    if (method !== "POST" || found !== undefined)
      return { status: 405, answer: { error: "405 Not Allowed" } };
    const note = textOf(body.note);
    if (note === null) return { status: 400, answer: { error: "note is missing" } };
    const position = (body.position ?? null) as Position | null;
    for (const name of ["base_sha", "start_sha", "head_sha", "position_type"] as const)
      if (position !== null && typeof position[name] !== "string")
        return { status: 400, answer: { error: `position[${name}] is missing` } };
    const lineCode = position === null || this.findsNoLines ? null : this.#lineCodeOf(position);
    const draft = { id: this.#subject.nextId(), author: by, note, position, lineCode };
    this.drafts.push(draft);
    return { status: 201, answer: this.#draftView(draft) };
  }

  #publish(own: readonly Draft[], by: Person): Result {
    if (own.some(({ position, lineCode }) => position !== null && lineCode === null))
      return { status: 500, answer: { message: "500 Internal Server Error" } };
    for (const { note, position } of own)
      this.#add([this.#note(by, { body: note, position, isThread: true })], false);
    this.drafts.splice(0, this.drafts.length, ...this.drafts.filter((one) => !own.includes(one)));
    return { status: 204, answer: null };
  }

  #ofVersions(id: string | undefined): Result {
    if (id === undefined) return { status: 200, answer: this.versions.map((one) => this.#versionView(one)) };
    const found = this.versions.find((one) => String(one.id) === id);
    if (found === undefined) return NOT_FOUND;
    return { status: 200, answer: { ...this.#versionView(found), commits: [], diffs: found.diffs } };
  }

  /** By the three commits of one version, its diff, and the numbers of the line on both sides. Null for a line that is not there. */
  #lineCodeOf({ position_type: type, line_range: range, ...at }: Position): string | null {
    const version = this.versions.find(
      (one) =>
        one.base_commit_sha === at.base_sha &&
        one.start_commit_sha === at.start_sha &&
        one.head_commit_sha === at.head_sha,
    );
    const file = version?.diffs.find((one) => one.new_path === at.new_path && one.old_path === at.old_path);
    if (type !== "text" || file === undefined) return null;
    const lines = newLines(file.diff);
    const line = lines.get(Number(at.new_line));
    if (line === undefined || (at.old_line ?? null) !== line.old) return null;
    const path = createHash("sha1").update(file.new_path).digest("hex");
    const codeOf = (number: number, before: number) => `${path}_${before}_${number}`;
    const code = codeOf(Number(at.new_line), line.at);
    if (range == null) return code;
    const codes = new Set([...lines].map(([number, { at: before }]) => codeOf(number, before)));
    return [range.start, range.end].every((end) => codes.has(String(end?.line_code))) ? code : null;
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
    return { id: this.#subject.nextId(), body: text, author, system: false, position, ...open };
  }

  #add(notes: FakeNote[], isIndividual: boolean): FakeDiscussion {
    const id = createHash("sha1").update(String(this.#subject.nextId())).digest("hex");
    const discussion = { id, individual_note: isIndividual, notes };
    this.discussions.push(discussion);
    return discussion;
  }

  #noteView({ id, body, author, system, position, resolvable, resolved, resolved_by: by }: FakeNote): object {
    const { site, mergeRequestId, iid } = this.#subject;
    return {
      id,
      type: position !== null ? "DiffNote" : resolvable ? "DiscussionNote" : null,
      body,
      attachment: null,
      author: personView(author, site),
      created_at: timeOf(id),
      updated_at: timeOf(id),
      system,
      noteable_id: mergeRequestId,
      noteable_type: "MergeRequest",
      noteable_iid: iid,
      project_id: site.projectId,
      confidential: false,
      internal: false,
      imported: false,
      commands_changes: {},
      ...(position === null ? {} : { commit_id: null, position }),
      resolvable,
      ...(resolvable
        ? {
            resolved,
            resolved_by: by === null ? null : personView(by, site),
            resolved_at: resolved ? timeOf(id) : null,
          }
        : {}),
    };
  }

  #discussionView({ id, individual_note, notes }: FakeDiscussion): object {
    return { id, individual_note, notes: notes.map((one) => this.#noteView(one)) };
  }

  #draftView({ id, author, note, position, lineCode }: Draft): object {
    const none = { base_sha: null, start_sha: null, head_sha: null, position_type: "text" };
    return {
      id,
      author_id: author.id,
      merge_request_id: this.#subject.mergeRequestId,
      resolve_discussion: false,
      discussion_id: null,
      note,
      commit_id: null,
      line_code: lineCode,
      position: {
        ...none,
        old_path: null,
        new_path: null,
        old_line: null,
        new_line: null,
        line_range: null,
        ...position,
      },
    };
  }

  #versionView({ diffs, ...version }: FakeVersion): object {
    return {
      ...version,
      created_at: timeOf(version.id),
      merge_request_id: this.#subject.mergeRequestId,
      state: "collected",
      real_size: String(diffs.length),
    };
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
