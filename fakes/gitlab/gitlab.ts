// One project of GitLab behind its REST API: issues, merge requests, accounts and tokens with roles and scopes. It refuses what the
// published API refuses, and executes the quick actions of a new issue.
// https://docs.gitlab.com/api/issues, …/api/merge_requests, …/api/users, …/user/permissions (2026-11-28)

import type { IncomingMessage, ServerResponse } from "node:http";
import { type LoopbackServer, readBody, sendJson, startLoopbackServer } from "../code-host/server.ts";
import { quickActionsIn } from "./quick-actions.ts";

type Fields = Record<string, unknown>;
export type GitLabRole = "none" | "guest" | "planner" | "reporter" | "developer";

export type GitLabToken = {
  readonly account: string;
  readonly role: GitLabRole;
  readonly scopes: readonly string[];
};

type Account = { readonly id: number; readonly username: string; readonly hasAccess: boolean };

export type GitLabItem = {
  iid: number;
  title: string;
  description: string | null;
  confidential?: boolean;
  state: "opened" | "closed";
  labels: string[];
  author: Account;
  assignees: Account[];
  reviewers: Account[];
};

export type GitLabRequest = {
  readonly method: string;
  /** Below the API, with the query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

/** Answered in the place of the API's own answer. */
export type GitLabFault = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The request takes effect all the same. */
  readonly isLate?: boolean;
};

const API = "/api/v4";
const MAX_TITLE_CHARS = 255;

export class FakeGitLab {
  readonly projectId: string;
  readonly requests: GitLabRequest[] = [];
  readonly tokens = new Map<string, GitLabToken>();
  readonly issues = new Map<number, GitLabItem>();
  readonly mergeRequests = new Map<number, GitLabItem>();
  /** Labels of the project. One that is not there is made when it is used. */
  readonly labels = new Set<string>();
  /** Quick actions that were executed. */
  readonly executed: string[] = [];
  /** Several assignees and reviewers are of GitLab Premium: else the first counts. */
  hasPremium = false;
  readonly #accounts = new Map<string, Account>();
  readonly #faults: { readonly at: RegExp; readonly fault: GitLabFault }[] = [];
  #server: LoopbackServer | null = null;
  #nextIid = 501;

  private constructor(projectId: string) {
    this.projectId = projectId;
  }

  static async start({ projectId = "20" } = {}): Promise<FakeGitLab> {
    const gitlab = new FakeGitLab(projectId);
    gitlab.#server = await startLoopbackServer(async (request, response) => {
      await gitlab.#answer(request, response);
    });
    return gitlab;
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  /** CI_API_V4_URL. */
  get apiUrl(): string {
    return `${this.url}${API}`;
  }

  addAccount(username: string, { hasAccess = true } = {}): Account {
    const account = { id: 100 + this.#accounts.size, username, hasAccess };
    this.#accounts.set(username.toLowerCase(), account);
    return account;
  }

  idOf(username: string): number | undefined {
    return this.#accounts.get(username.toLowerCase())?.id;
  }

  /** A project access token, whose account is a bot of its own. */
  addToken(
    text: string,
    { role = "reporter", scopes = ["api"], account = "project_20_bot" }: Partial<GitLabToken> = {},
  ): void {
    if (!this.#accounts.has(account)) this.addAccount(account);
    this.tokens.set(text, { account, role, scopes });
  }

  addIssue(fields: Partial<GitLabItem> & { readonly iid: number }): GitLabItem {
    return this.#put(this.issues, fields);
  }

  addMergeRequest(fields: Partial<GitLabItem> & { readonly iid: number }): GitLabItem {
    return this.#put(this.mergeRequests, fields);
  }

  /** The next request whose method and path match is answered so: `/^PUT \/issues/`. */
  fail(at: RegExp, fault: GitLabFault): void {
    this.#faults.push({ at, fault });
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #put(shelf: Map<number, GitLabItem>, fields: Partial<GitLabItem> & { readonly iid: number }): GitLabItem {
    const author = this.#accounts.get("outsider") ?? this.addAccount("outsider", { hasAccess: false });
    const empty = { title: "It breaks", description: "", state: "opened", author } as const;
    const item = { ...empty, labels: [], assignees: [], reviewers: [], ...fields };
    shelf.set(item.iid, item);
    return item;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const body = (await readBody(request)).toString();
    const path = url.pathname.replace(API, "");
    const method = request.method ?? "";
    this.requests.push({ method, path: path + url.search, headers: request.headers, body });
    const project = `/projects/${this.projectId}`;
    const below = path.startsWith(project) ? path.slice(project.length) : path;
    const at = this.#faults.findIndex((one) => one.at.test(`${method} ${below}`));
    const [found] = at === -1 ? [] : this.#faults.splice(at, 1);
    if (found !== undefined) {
      if (found.fault.isLate === true) this.#resultOf({ request, method, url, path, below, body });
      const {
        status,
        headers = { "content-type": "text/plain" },
        body: text = "Retry later\n",
      } = found.fault;
      response.writeHead(status, headers).end(text);
      return;
    }
    const { status, answer } = this.#resultOf({ request, method, url, path, below, body });
    sendJson(response, status, answer);
  }

  #resultOf(asked: Asked): Result {
    const { request, method, path, url, below } = asked;
    const given = request.headers["private-token"];
    const token = typeof given === "string" ? this.tokens.get(given) : undefined;
    if (token === undefined) return { status: 401, answer: { message: "401 Unauthorized" } };
    const isRead = method === "GET";
    const enough = isRead ? ["api", "read_api", ...(below === path ? ["read_user"] : [])] : ["api"];
    if (!token.scopes.some((scope) => enough.includes(scope))) {
      const description = "The request requires higher privileges than provided by the access token.";
      return {
        status: 403,
        answer: { error: "insufficient_scope", error_description: description, scope: "api" },
      };
    }
    const account = this.#accounts.get(token.account);
    if (account === undefined) return { status: 401, answer: { message: "401 Unauthorized" } };
    if (isRead && path === "/user") return { status: 200, answer: person(account) };
    if (isRead && path === "/users") {
      const one = this.#accounts.get((url.searchParams.get("username") ?? "").toLowerCase());
      return { status: 200, answer: one === undefined ? [] : [person(one)] };
    }
    if (below === path || token.role === "none")
      return { status: 404, answer: { message: "404 Project Not Found" } };
    return this.#inProject(asked, { token, account });
  }

  #inProject(
    { method, url, below, body }: Asked,
    { token, account }: { token: GitLabToken; account: Account },
  ): Result {
    const [, kind, iid] = /^\/(issues|merge_requests)(?:\/(\d+))?$/.exec(below) ?? [];
    const shelf = kind === "merge_requests" ? this.mergeRequests : this.issues;
    const notFound = { status: 404, answer: { message: "404 Not found" } };
    if (kind === undefined) return { status: 404, answer: { error: "404 Not Found" } };
    if (iid !== undefined) {
      const item = shelf.get(Number(iid));
      if (item === undefined) return notFound;
      if (method === "GET") return { status: 200, answer: this.#view(item) };
      if (method !== "PUT") return { status: 405, answer: { error: "405 Not Allowed" } };
      const roles = kind === "issues" ? ["planner", "reporter", "developer"] : ["developer"];
      if (!roles.includes(token.role) && item.author.id !== account.id)
        return { status: 403, answer: { message: "403 Forbidden" } };
      return this.#change(item, JSON.parse(body), { mayPlan: roles.includes(token.role) });
    }
    if (kind !== "issues") return notFound;
    if (method === "GET") return { status: 200, answer: this.#list(url) };
    return this.#create(JSON.parse(body), account);
  }

  #list(url: URL): readonly object[] {
    const query = url.searchParams;
    const author = query.get("author_id");
    const size = Math.min(100, Number(query.get("per_page") ?? 20));
    const page = Number(query.get("page") ?? 1);
    const state = query.get("state") ?? "all";
    return [...this.issues.values()]
      .filter((one) => author === null || String(one.author.id) === author)
      .filter((one) => state === "all" || one.state === state)
      .toSorted((a, b) => b.iid - a.iid)
      .slice((page - 1) * size, page * size)
      .map((one) => this.#view(one));
  }

  #create(given: Fields, account: Account): Result {
    const { title, description = "" } = given;
    if (typeof title !== "string" || title === "")
      return { status: 400, answer: { error: "title is missing" } };
    if (title.length > MAX_TITLE_CHARS)
      return { status: 400, answer: { message: { title: ["is too long (maximum is 255 characters)"] } } };
    const iid = this.#nextIid++;
    const { text, actions } = quickActionsIn(String(description));
    this.executed.push(...actions);
    const item = this.#put(this.issues, { iid, title, description: text, author: account });
    return { status: 201, answer: this.#view(item) };
  }

  #change(item: GitLabItem, given: Fields, { mayPlan }: { mayPlan: boolean }): Result {
    const known = ["add_labels", "assignee_ids", "reviewer_ids", "state_event"];
    if (!Object.keys(given).some((name) => known.includes(name)))
      return {
        status: 400,
        answer: { error: `${known.join(", ")} are missing, at least one parameter must be provided` },
      };
    if (typeof given.add_labels === "string" && mayPlan) {
      for (const label of given.add_labels.split(",").map((one) => one.trim())) {
        if (label.length > 255) return { status: 400, answer: { message: { title: ["is too long"] } } };
        this.labels.add(label);
        if (!item.labels.includes(label)) item.labels.push(label);
      }
    }
    for (const [name, list] of [
      ["assignee_ids", "assignees"],
      ["reviewer_ids", "reviewers"],
    ] as const) {
      const ids = given[name];
      if (!Array.isArray(ids) || !mayPlan) continue;
      const people = ids.flatMap((id) =>
        [...this.#accounts.values()].filter((one) => one.id === id && one.hasAccess),
      );
      item[list] = this.hasPremium ? people : people.slice(0, 1);
    }
    if (given.state_event === "close") item.state = "closed";
    return { status: 200, answer: this.#view(item) };
  }

  #view(item: GitLabItem): object {
    const people = (all: readonly Account[]) => all.map(person);
    return {
      confidential: false,
      ...item,
      id: 9_000 + item.iid,
      project_id: Number(this.projectId),
      author: person(item.author),
      assignees: people(item.assignees),
      reviewers: people(item.reviewers),
      web_url: `${this.url}/my-group/my-project/-/issues/${item.iid}`,
    };
  }
}

type Asked = {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly url: URL;
  /** Below the API. */
  readonly path: string;
  /** Below the project; the same as `path` where it is of none, or of another. */
  readonly below: string;
  readonly body: string;
};

type Result = { readonly status: number; readonly answer: unknown };

function person({ id, username }: Account): object {
  return { id, username, name: username, state: "active", locked: false };
}
