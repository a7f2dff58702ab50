// The issues, pull requests, comments and collaborators of GitHub's REST API, filled from the payloads of the planned jobs.
// A test edits them here, as people do after an event.
// https://docs.github.com/en/rest/issues/comments, …/pulls, …/collaborators

import type { IncomingMessage, ServerResponse } from "node:http";
import { CodeHostAttachments } from "./attachments.ts";
import { CodeHostAttestations } from "./attestations.ts";
import { CodeHostCheckRuns } from "./check-runs.ts";
import { ACTIONS_BOT, type CodeHostComment, CodeHostComments, type CommentShelf } from "./comments.ts";
import { CodeHostDiscussions } from "./discussions.ts";
import { CodeHostDispatches } from "./dispatches.ts";
import type { Payload } from "./event.ts";
import { CodeHostIssueWrites, type IssueShelf } from "./issue-writes.ts";
import { type CodeHostReview, CodeHostReviews } from "./reviews.ts";
import { sendJson } from "./server.ts";
import { CodeHostWorkflowRuns } from "./workflow-runs.ts";

export type Permission = "admin" | "maintain" | "write" | "triage" | "read" | "none";

type Fields = Record<string, unknown>;

export class CodeHostRest {
  /** Comments and reviews of jobs. */
  readonly comments = new CodeHostComments();
  readonly attachments = new CodeHostAttachments();
  readonly attestations = new CodeHostAttestations();
  readonly discussions = new CodeHostDiscussions();
  readonly reviews = new CodeHostReviews();
  readonly checkRuns = new CodeHostCheckRuns();
  readonly workflowRuns = new CodeHostWorkflowRuns();
  readonly issueWrites = new CodeHostIssueWrites();
  readonly dispatches = new CodeHostDispatches();
  readonly #resources = new Map<string, Fields>();
  readonly #lists = new Map<string, Fields[]>();
  readonly #people = new Map<string, { id: number; permission: Permission }>();

  /** Sets a user's permission. Default: "read" for users of a payload, 404 for others. */
  setPermission(login: string, permission: Permission, id?: number): void {
    this.#people.set(login, { id: id ?? this.#people.get(login)?.id ?? 12, permission });
  }

  /** `path` is below the repository: "/issues/comments/3000001". */
  edit(path: string, fields: Fields): void {
    const found = this.#resources.get(path);
    if (found === undefined) throw new RangeError(`The code host has nothing at ${path}.`);
    this.#resources.set(path, { ...found, ...fields });
  }

  remove(path: string): void {
    this.#resources.delete(path);
  }

  /** Everything in a payload, and the pull request where the issue is one. */
  publish(payload: Payload, pullRequest: Payload): void {
    const { issue, pull_request: pull, comment, review } = payload as Record<string, Fields | undefined>;
    this.#learnPeople(payload);
    if ("discussion" in payload) {
      this.discussions.publish(payload);
      return;
    }
    if (issue !== undefined) this.#put(`/issues/${issue.number}`, issue);
    if (issue?.pull_request !== undefined) this.#put(`/pulls/${issue.number}`, { ...pullRequest });
    if (pull !== undefined) this.#put(`/pulls/${pull.number}`, pull);
    if (review !== undefined) this.#put(`/pulls/${pull?.number}/reviews/${review.id}`, review);
    if (comment === undefined) return;
    const under = pull === undefined ? "issues" : "pulls";
    this.#put(`/${under}/comments/${comment.id}`, comment);
    this.#list(`/${under}/${(pull ?? issue)?.number}/comments`, comment);
  }

  /** Adds a comment to an issue or pull request, or replaces the one with this id. */
  addComment(number: number, comment: Fields & { id: number }): void {
    const at = "2026-01-15T09:40:00Z";
    const user = { login: "outsider", id: 99, type: "User" };
    this.#list(`/issues/${number}/comments`, { user, created_at: at, updated_at: at, ...comment });
  }

  /** Adds a comment at a line of a pull request. */
  addLineComment(number: number, comment: CodeHostComment): void {
    this.#list(`/pulls/${number}/comments`, comment);
  }

  clearComments(number: number): void {
    this.#lists.delete(`/issues/${number}/comments`);
  }

  /** The comments on an issue or pull request, or at the lines of a pull request. Oldest first. */
  commentsOf(number: number, kind: "issues" | "pulls" = "issues"): readonly CodeHostComment[] {
    return (this.#lists.get(`/${kind}/${number}/comments`) ?? []) as CodeHostComment[];
  }

  /** The submitted reviews of a pull request, oldest first. */
  reviewsOf(number: number): readonly CodeHostReview[] {
    return (this.#lists.get(`/pulls/${number}/reviews`) ?? []) as CodeHostReview[];
  }

  /** Somebody presses "Resolve conversation" at a comment, or at each one; "ghost" stands for an account that is gone. */
  resolveThreads(
    number: number,
    login: string,
    ids = this.commentsOf(number, "pulls").map(({ id }) => id),
  ): void {
    for (const id of ids) this.reviews.resolve(id, login);
  }

  /** Threads and reviews as GraphQL has them. */
  pullRequestList(number: number, field: string): readonly object[] | undefined {
    if (field === "reviews") {
      return this.reviewsOf(number).map(({ id, html_url: url }) => ({
        url,
        isMinimized: this.reviews.isHidden(id),
      }));
    }
    if (field !== "reviewThreads") return undefined;
    return this.commentsOf(number, "pulls")
      .filter(({ in_reply_to_id: first }) => first == null)
      .map(({ id, html_url: url }) => {
        const login = this.reviews.resolverOf(id);
        const person = login === ACTIONS_BOT.login ? ACTIONS_BOT : this.#people.get(login ?? "");
        const resolvedBy = person === undefined ? null : { login, databaseId: person.id };
        const resolved = { isResolved: login !== undefined, resolvedBy };
        return { id: `PRRT_${id}`, ...resolved, comments: { nodes: [{ url }] } };
      });
  }

  /** The job's token resolves a thread: takes the permissions on the contents and on pull requests. */
  resolveThread(threadId: string, mayWrite: boolean): boolean | null {
    const id = Number(/^PRRT_(\d+)$/.exec(threadId)?.[1] ?? 0);
    const isThere = [...this.#lists.values()].some((list) => list.some((comment) => comment.id === id));
    if (!isThere) return null;
    if (!mayWrite || this.comments.isDenied("pull-requests")) return false;
    this.reviews.resolve(id, ACTIONS_BOT.login);
    return true;
  }

  clearReviews(number: number): void {
    this.#lists.delete(`/pulls/${number}/reviews`);
    this.#lists.delete(`/pulls/${number}/comments`);
    this.reviews.clear();
  }

  #list(path: string, comment: Fields): void {
    const others = (this.#lists.get(path) ?? []).filter(({ id }) => id !== comment.id);
    this.#lists.set(path, [...others, comment]);
  }

  /** Answers a request below a repository. False for a path of another API. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    asked: { url: URL; path: string; body: string },
  ): boolean {
    const { url, path, body } = asked;
    const webUrl = `${url.origin}/${url.pathname.split("/").slice(4, 6).join("/")}`;
    const shelf = this.#shelf(webUrl);
    const isDenied = this.comments.isDenied("pull-requests");
    if (this.reviews.handle(request, response, { path, body, shelf, isDenied })) return true;
    if (this.comments.handle(request, response, { path, body, shelf })) return true;
    if (this.dispatches.handle(request, response, { url, path, body })) return true;
    if (this.workflowRuns.handle(request, response, { url, path })) return true;
    if (this.checkRuns.handle(request, response, { path, body })) return true;
    if (this.attestations.handle(request, response, { url, path, body })) return true;
    if (this.issueWrites.handle(request, response, { url, path, body, shelf: this.#issueShelf(webUrl) }))
      return true;
    const [, login] = /^\/collaborators\/([^/]+)\/permission$/.exec(path) ?? [];
    if (login !== undefined) return this.#sendPermission(response, login);
    const isList = /^\/(issues|pulls)\/\d+\/comments$/.test(path);
    const list = isList ? (this.#lists.get(path) ?? []) : this.reviews.list(path, shelf);
    const found = this.#resources.get(path);
    if (request.method !== "GET" || (list === undefined && found === undefined)) return false;
    const inForm = (fields: object) => this.attachments.inForm(request, { ...fields });
    if (list === undefined) sendJson(response, 200, inForm(found ?? {}));
    else sendPage(response, url, list.map(inForm));
    return true;
  }

  /** What is at a path below the repository, such as "/issues/7". */
  at(path: string): Readonly<Fields> | undefined {
    return this.#resources.get(path);
  }

  /** Adds an issue, or replaces the one with this number. */
  addIssue(issue: Fields & { readonly number: number }): void {
    this.#put(`/issues/${issue.number}`, issue);
  }

  #issueShelf(webUrl: string): IssueShelf {
    return {
      webUrl,
      all: () =>
        [...this.#resources].filter(([path]) => /^\/issues\/\d+$/.test(path)).map(([, fields]) => fields),
      find: (path) => this.#resources.get(path),
      put: (path, fields) => this.#put(path, fields),
    };
  }

  #shelf(webUrl: string): CommentShelf {
    return {
      webUrl,
      list: (key) => {
        const list = this.#lists.get(key) ?? [];
        this.#lists.set(key, list);
        return list as CodeHostComment[];
      },
      find: (key) => this.#resources.get(key) as CodeHostComment | undefined,
      put: (key, comment) => this.#put(key, comment),
    };
  }

  #sendPermission(response: ServerResponse, login: string): boolean {
    const person = this.#people.get(login);
    if (person === undefined) return false;
    const { id, permission } = person;
    // `permission` has four values; `role_name` also has the roles between them.
    const legacy = permission === "maintain" ? "write" : permission === "triage" ? "read" : permission;
    const user = { login, id, type: "User" };
    sendJson(response, 200, { permission: legacy, role_name: permission, user });
    return true;
  }

  #put(path: string, fields: Fields): void {
    this.#resources.set(path, fields);
  }

  #learnPeople(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const { login, id } = value as Fields;
    if (typeof login === "string" && typeof id === "number" && !this.#people.has(login)) {
      this.#people.set(login, { id, permission: login === "octocat" ? "write" : "read" });
    }
    for (const inner of Object.values(value)) this.#learnPeople(inner);
  }
}

/** https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api */
function sendPage(response: ServerResponse, url: URL, list: readonly object[]): void {
  const size = Math.min(100, Number(url.searchParams.get("per_page") ?? 30));
  const page = Number(url.searchParams.get("page") ?? 1);
  if (page * size < list.length) {
    const next = new URL(url);
    next.searchParams.set("page", String(page + 1));
    response.setHeader("link", `<${next.href}>; rel="next"`);
  }
  sendJson(response, 200, list.slice((page - 1) * size, page * size));
}
