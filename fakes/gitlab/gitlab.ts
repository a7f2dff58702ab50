// One project of GitLab behind its REST API: issues, merge requests with their notes and reviews, a repository, accounts and tokens with roles
// and scopes. It refuses what the published API refuses, and executes quick actions.
// https://docs.gitlab.com/api/issues, …/api/merge_requests, …/api/users, …/user/permissions (2026-11-29)

import type { IncomingMessage, ServerResponse } from "node:http";
import type { TestRepository } from "../code-host/git-repository.ts";
import { basicCredentials } from "../code-host/pushed-repository.ts";
import { type LoopbackServer, readBody, sendJson, startLoopbackServer } from "../code-host/server.ts";
import { diffOf } from "./diff.ts";
import { pageOf } from "./pages.ts";
import { type Parameters, parametersOf } from "./parameters.ts";
import { quickActionsIn } from "./quick-actions.ts";
import type { Account, GitLabItem, GitLabRole, GitLabToken } from "./records.ts";
import { FakeRepository } from "./repository.ts";
import { FakeReviews, type Result } from "./reviews.ts";
import {
  type Branches,
  issueView,
  memberView,
  mergeRequestView,
  personView,
  projectView,
  type Site,
  tokenView,
  viewerView,
  wholeMergeRequestView,
} from "./views.ts";

/** As GitLab counts them. */
const levels: Readonly<Record<GitLabRole, number>> = {
  none: 0,
  guest: 10,
  planner: 15,
  reporter: 20,
  developer: 30,
  maintainer: 40,
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
  /** Of merge requests, by their numbers. */
  readonly reviews = new Map<number, FakeReviews>();
  /** Told of each call once it has taken effect, before it is answered: "POST /merge_requests/9/notes". */
  onCall: ((call: string) => void) | null = null;
  /** Null: the project has none. */
  repository: FakeRepository | null = null;
  readonly path = "my-group/my-project";
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
  #nextId = 7_001;

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

  get #site(): Site {
    return { url: this.url, path: this.path, projectId: Number(this.projectId) };
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
    {
      role = "reporter",
      scopes = ["api"],
      account = "project_20_bot",
      expiresOn = "2099-12-31",
    }: Partial<GitLabToken> = {},
  ): void {
    if (!this.#accounts.has(account)) this.addAccount(account);
    this.tokens.set(text, { account, role, scopes, expiresOn });
  }

  addIssue(fields: Partial<GitLabItem> & { readonly iid: number }): GitLabItem {
    return this.#put(this.issues, fields);
  }

  addMergeRequest(fields: Partial<GitLabItem> & { readonly iid: number }): GitLabItem {
    const item = this.#put(this.mergeRequests, fields);
    this.reviews.set(
      item.iid,
      new FakeReviews({
        author: item.author,
        iid: item.iid,
        mergeRequestId: 9_000 + item.iid,
        site: this.#site,
        nextId: () => this.#nextId++,
      }),
    );
    return item;
  }

  addRepository(git: TestRepository): FakeRepository {
    this.repository = new FakeRepository(git, this.path);
    return this.repository;
  }

  /** A push to the branch of a merge request: its newest version. */
  addVersion(iid: number, { base, head }: { readonly base: string; readonly head: string }): void {
    const { repository } = this;
    if (repository === null) throw new Error("The project has no repository.");
    this.reviews.get(iid)?.versions.unshift({
      id: this.#nextId++,
      base_commit_sha: base,
      start_commit_sha: base,
      head_commit_sha: head,
      diffs: diffOf(repository.git, base, head),
    });
  }

  account(username: string): Account {
    return this.#accounts.get(username.toLowerCase()) ?? this.addAccount(username);
  }

  /** The next request whose method and path match is answered so: `/^PUT \/issues/`. */
  fail(at: RegExp, fault: GitLabFault): void {
    this.#faults.push({ at, fault });
  }

  async close(): Promise<void> {
    await this.#server?.close();
    this.repository?.close();
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
    const bytes = await readBody(request);
    const body = bytes.toString();
    if (!url.pathname.startsWith(API)) {
      const access = this.#gitAccess(request);
      this.requests.push({
        method: request.method ?? "",
        path: url.pathname + url.search,
        headers: request.headers,
        body: "",
      });
      if ((await this.repository?.serve(request, response, { body: bytes, access })) === true) return;
      sendJson(response, 404, { message: "404 Not Found" });
      return;
    }
    const path = url.pathname.replace(API, "");
    const method = request.method ?? "";
    this.requests.push({ method, path: path + url.search, headers: request.headers, body });
    const project = `/projects/${this.projectId}`;
    const below = path.startsWith(project) ? path.slice(project.length) : path;
    const contentType = request.headers["content-type"] ?? "";
    const given = method === "GET" ? {} : await parametersOf({ url, body: bytes, contentType });
    const asked: Asked = { request, method, url, path, below, given };
    const at = this.#faults.findIndex((one) => one.at.test(`${method} ${below}`));
    const [found] = at === -1 ? [] : this.#faults.splice(at, 1);
    if (found !== undefined) {
      if (found.fault.isLate === true) this.#resultOf(asked);
      const {
        status,
        headers = { "content-type": "text/plain" },
        body: text = "Retry later\n",
      } = found.fault;
      response.writeHead(status, headers).end(text);
      return;
    }
    const { status, answer, isWhole = false } = this.#resultOf(asked);
    this.onCall?.(`${method} ${below}`);
    if (status === 204) {
      response.writeHead(204).end();
      return;
    }
    if (method === "GET" && Array.isArray(answer) && !isWhole) {
      const { items, headers } = pageOf(answer, url);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      sendJson(response, status, items);
      return;
    }
    sendJson(response, status, answer);
  }

  #gitAccess(request: IncomingMessage): "none" | "read" | "write" {
    const token = this.tokens.get(basicCredentials(request).password);
    if (token === undefined || token.role === "none") return "none";
    const mayWrite = token.scopes.some((scope) => ["api", "write_repository"].includes(scope));
    return mayWrite && levels[token.role] >= levels.developer ? "write" : "read";
  }

  #resultOf(asked: Asked): Result {
    const { request, method, path, url, below } = asked;
    const secret = request.headers["private-token"];
    const token = typeof secret === "string" ? this.tokens.get(secret) : undefined;
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
    if (isRead && path === "/user") return { status: 200, answer: viewerView(account, this.#site) };
    if (isRead && path === "/personal_access_tokens/self")
      return { status: 200, answer: tokenView(token, account) };
    if (isRead && path === "/users") {
      const one = this.#accounts.get((url.searchParams.get("username") ?? "").toLowerCase());
      return { status: 200, answer: one === undefined ? [] : [personView(one, this.#site)] };
    }
    if (below === path || token.role === "none")
      return { status: 404, answer: { message: "404 Project Not Found" } };
    return this.#inProject(asked, { token, account });
  }

  #inProject(
    { method, url, below, given }: Asked,
    { token, account }: { token: GitLabToken; account: Account },
  ): Result {
    const own = this.#ofProject({ method, url, below, given }, { token, account });
    if (own !== null) return own;
    const [, kind, iid] = /^\/(issues|merge_requests)(?:\/(\d+))?$/.exec(below) ?? [];
    const shelf = kind === "merge_requests" ? this.mergeRequests : this.issues;
    const notFound = { status: 404, answer: { message: "404 Not found" } };
    if (kind === undefined) return { status: 404, answer: { error: "404 Not Found" } };
    if (iid !== undefined) {
      const item = shelf.get(Number(iid));
      if (item === undefined) return notFound;
      if (method === "GET") return { status: 200, answer: this.#view(item) };
      if (method !== "PUT") return { status: 405, answer: { error: "405 Not Allowed" } };
      const roles =
        kind === "issues" ? ["planner", "reporter", "developer", "maintainer"] : ["developer", "maintainer"];
      if (!roles.includes(token.role) && item.author.id !== account.id)
        return { status: 403, answer: { message: "403 Forbidden" } };
      return this.#change(item, given, { mayPlan: roles.includes(token.role) });
    }
    if (kind !== "issues") return this.#mergeRequests({ method, url, given }, { token, account });
    if (method === "GET") return { status: 200, answer: this.#list(url) };
    return this.#create(given, account);
  }

  /** What is not an item of its own. Null for any other call. */
  #ofProject(
    { method, url, below, given }: Pick<Asked, "method" | "url" | "below" | "given">,
    { token, account }: { readonly token: GitLabToken; readonly account: Account },
  ): Result | null {
    const level = levels[token.role];
    if (method === "GET" && below === "") return { status: 200, answer: projectView(this.#site) };
    const [, id] = /^\/members\/all\/(\d+)$/.exec(below) ?? [];
    if (id !== undefined) {
      const one = [...this.#accounts.values()].find((found) => String(found.id) === id);
      const of = [...this.tokens.values()].find((found) => found.account === one?.username)?.role;
      const access = of === undefined ? (one?.hasAccess === true ? levels.developer : 0) : levels[of];
      if (one === undefined || access === 0) return { status: 404, answer: { message: "404 Not found" } };
      return { status: 200, answer: memberView(one, { site: this.#site, level: access }) };
    }
    const [, iid, path] = /^\/merge_requests\/(\d+)(\/.+)$/.exec(below) ?? [];
    if (path !== undefined) {
      const reviews = this.reviews.get(Number(iid));
      if (reviews === undefined) return { status: 404, answer: { message: "404 Not found" } };
      return reviews.handle({ method, path, query: url.searchParams, body: given, by: account, level });
    }
    return (
      this.repository?.handle({ method, below, url, body: given, by: account, level, site: this.#site }) ??
      null
    );
  }

  #mergeRequests(
    { method, url, given }: Pick<Asked, "method" | "url" | "given">,
    { token, account }: { readonly token: GitLabToken; readonly account: Account },
  ): Result {
    const branch = url.searchParams.get("source_branch");
    if (method === "GET") {
      const found = [...this.mergeRequests.values()].filter(
        (one) => branch === null || one.sourceBranch === branch,
      );
      const views = found
        .toSorted((a, b) => b.iid - a.iid)
        .map((one) => mergeRequestView(one, { site: this.#site, head: this.#branches(one).head }));
      return { status: 200, answer: views };
    }
    if (levels[token.role] < levels.developer) return { status: 403, answer: { message: "403 Forbidden" } };
    const { source_branch: source, target_branch: target, title, description = "" } = given;
    const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
    if (!isText(source)) return { status: 400, answer: { error: "source_branch is missing" } };
    if (!isText(target)) return { status: 400, answer: { error: "target_branch is missing" } };
    if (!isText(title)) return { status: 400, answer: { error: "title is missing" } };
    const there = [...this.mergeRequests.values()].find(
      (one) => one.sourceBranch === source && one.state === "opened",
    );
    if (there !== undefined)
      return {
        status: 409,
        answer: {
          message: [`Another open merge request already exists for this source branch: !${there.iid}`],
        },
      };
    if (this.repository?.tip(source) == null)
      return { status: 422, answer: { message: { source_branch: ["does not exist"] } } };
    const { text, actions } = quickActionsIn(String(description));
    this.executed.push(...actions);
    const item = this.addMergeRequest({
      iid: this.#nextIid++,
      title,
      description: text,
      author: account,
      sourceBranch: source,
      targetBranch: target,
    });
    return { status: 201, answer: this.#view(item) };
  }

  #list(url: URL): readonly object[] {
    const query = url.searchParams;
    const author = query.get("author_id");
    const state = query.get("state") ?? "all";
    return [...this.issues.values()]
      .filter((one) => author === null || String(one.author.id) === author)
      .filter((one) => state === "all" || one.state === state)
      .toSorted((a, b) => b.iid - a.iid)
      .map((one) => this.#view(one));
  }

  #create(given: Parameters, account: Account): Result {
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

  #change(item: GitLabItem, given: Parameters, { mayPlan }: { mayPlan: boolean }): Result {
    const known = ["add_labels", "assignee_ids", "reviewer_ids", "state_event", "description"];
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
    if (typeof given.description === "string") {
      const { text, actions } = quickActionsIn(given.description);
      this.executed.push(...actions);
      item.description = text;
    }
    return { status: 200, answer: this.#view(item) };
  }

  #branches({ iid, sourceBranch }: GitLabItem): Branches {
    const [version] = this.reviews.get(iid)?.versions ?? [];
    if (version === undefined) return { head: this.repository?.tip(sourceBranch ?? "") ?? null, refs: null };
    const { base_commit_sha: base, head_commit_sha: head, start_commit_sha: start } = version;
    return { head, refs: { base_sha: base, head_sha: head, start_sha: start } };
  }

  #view(item: GitLabItem): object {
    const isMerge = this.mergeRequests.get(item.iid) === item;
    const site = this.#site;
    return isMerge
      ? wholeMergeRequestView(item, { site, branches: this.#branches(item) })
      : issueView(item, site);
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
  /** Of what changes something. */
  readonly given: Parameters;
};
