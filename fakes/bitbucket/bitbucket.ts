// One repository of Bitbucket Cloud behind its REST API, and its git: pull requests with their comments, build statuses, files and diffs, accounts and
// tokens with scopes. It refuses what the published API refuses. https://developer.atlassian.com/cloud/bitbucket/rest (2026-11-29)

import type { IncomingMessage, ServerResponse } from "node:http";
import type { TestRepository } from "../code-host/git-repository.ts";
import { basicCredentials, PushedRepository } from "../code-host/pushed-repository.ts";
import { readBody, sendJson } from "../code-host/server.ts";
import { newLines } from "../gitlab/diff.ts";
import type { FakeAccount } from "./account.ts";
import { type Answer, badRequest, NOT_FOUND, scopesLacking, UNAUTHORIZED } from "./answers.ts";
import { FakeComments } from "./comments.ts";

export type BitbucketToken = { readonly account: FakeAccount; readonly scopes: readonly string[] };

export type FakePull = {
  readonly id: number;
  title: string;
  description: string;
  state: "OPEN" | "MERGED" | "DECLINED" | "SUPERSEDED";
  readonly author: FakeAccount;
  readonly source: string;
  readonly destination: string;
  /** Of the branch; the repository's own unless it is a fork's. Null where the fork is gone. */
  sourceRepository: string | null;
  reviewers: FakeAccount[];
  readonly comments: FakeComments;
};

export type FakeBuildStatus = {
  readonly sha: string;
  readonly key: string;
  readonly state: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly url: string;
  readonly refname: string | null;
};

export type BitbucketRequest = {
  readonly host: string;
  readonly method: string;
  /** With the query; of the API below "/2.0". */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

/** Answered in the place of the API's own answer. */
export type BitbucketFault = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The request takes effect all the same. */
  readonly isLate?: boolean;
};

export const API_HOST = "api.bitbucket.org";
export const WEB_HOST = "bitbucket.org";
const API = "/2.0";
const MAX_PAGE = 100;
/** Of lists of pull requests. */
const MAX_PULL_PAGE = 50;
const STATES = ["INPROGRESS", "SUCCESSFUL", "FAILED", "STOPPED"];

const words = {
  realm: "Bitbucket",
  isProtected: "Permission denied to update branch $name.",
  denied: "You do not have permission to push to this repository.",
};

/** Scopes that come with one. https://developer.atlassian.com/cloud/bitbucket/bitbucket-cloud-rest-api-scopes (2026-11-29) */
const implied: Readonly<Record<string, readonly string[]>> = {
  pullrequest: ["repository"],
  "pullrequest:write": ["pullrequest", "repository", "repository:write"],
  "repository:write": ["repository"],
};

export class FakeBitbucket {
  readonly fullName = "acme/app";
  readonly uuid = "{bd715740-c970-486b-b68a-b421ec2a1f8b}";
  readonly requests: BitbucketRequest[] = [];
  readonly tokens = new Map<string, BitbucketToken>();
  readonly pulls = new Map<number, FakePull>();
  /** The newest first. */
  readonly statuses: FakeBuildStatus[] = [];
  readonly accounts = new Map<string, FakeAccount>();
  readonly defaultReviewers: FakeAccount[] = [];
  readonly repository: PushedRepository;
  /** Told of each call once it has taken effect, before it is answered: "POST /pullrequests/9/comments". */
  onCall: ((call: string) => void) | null = null;
  readonly #faults: { readonly at: RegExp; readonly fault: BitbucketFault }[] = [];
  #nextPull = 501;
  #nextId = 7_001;

  constructor(git: TestRepository) {
    this.repository = new PushedRepository(git, { name: this.fullName, words });
  }

  get webUrl(): string {
    return `https://${WEB_HOST}/${this.fullName}`;
  }

  nextId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  addAccount(name: string, { type = "user" }: { readonly type?: FakeAccount["type"] } = {}): FakeAccount {
    const number = String(this.accounts.size + 1).padStart(12, "0");
    const account: FakeAccount = {
      uuid: `{00000000-0000-4000-8000-${number}}`,
      type,
      ...(type === "app_user" ? { kind: "repository_access_token" } : { nickname: name }),
      display_name: name,
    };
    this.accounts.set(account.uuid, account);
    return account;
  }

  /** A repository access token: its account is no person's. */
  addToken(text: string, scopes: readonly string[], account?: FakeAccount): FakeAccount {
    const of = account ?? this.addAccount("agent token", { type: "app_user" });
    this.tokens.set(text, { account: of, scopes });
    return of;
  }

  addPull(fields: Pick<FakePull, "title" | "author" | "source"> & Partial<FakePull>): FakePull {
    const id = fields.id ?? this.#nextPull++;
    const pull: FakePull = {
      description: "",
      state: "OPEN",
      destination: "main",
      sourceRepository: this.uuid,
      reviewers: [],
      comments: new FakeComments(`${this.webUrl}/pull-requests/${id}`),
      ...fields,
      id,
    };
    this.pulls.set(id, pull);
    return pull;
  }

  /** The next request whose method and path match is answered so: `/^PUT \/pullrequests/`. */
  fail(at: RegExp, fault: BitbucketFault): void {
    this.#faults.push({ at, fault });
  }

  close(): void {
    this.repository.close();
  }

  /** Of both hosts. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host: authority = "" } = request.headers;
    const host = authority.replace(/:\d+$/, "");
    const scheme = "encrypted" in request.socket ? "https" : "http";
    const url = new URL(request.url ?? "/", `${scheme}://${authority}`);
    const bytes = await readBody(request);
    const method = request.method ?? "";
    const isApi = host !== WEB_HOST && url.pathname.startsWith(API);
    const path = isApi ? url.pathname.slice(API.length) : url.pathname;
    const body = isApi ? bytes.toString() : "";
    this.requests.push({ host, method, path: path + url.search, headers: request.headers, body });
    if (!isApi) {
      const access = this.#gitAccess(request);
      if (await this.repository.serve(request, response, { body: bytes, access })) return;
      sendJson(response, 404, NOT_FOUND.answer);
      return;
    }
    this.#answer({ request, response, method, url, path, body });
  }

  #answer(asked: Asked & { readonly response: ServerResponse }): void {
    const { response, method, url, path } = asked;
    const below = this.#below(path) ?? path;
    const at = this.#faults.findIndex((one) => one.at.test(`${method} ${below}`));
    const [found] = at === -1 ? [] : this.#faults.splice(at, 1);
    const result = found === undefined || found.fault.isLate === true ? this.#resultOf(asked) : null;
    if (found !== undefined) {
      const { status, headers = { "content-type": "text/plain" }, body = "Try again\n" } = found.fault;
      response.writeHead(status, headers).end(body);
      return;
    }
    this.onCall?.(`${method} ${below}`);
    const { status, answer } = result ?? NOT_FOUND;
    const token = this.#token(asked.request);
    if (token !== undefined) response.setHeader("x-oauth-scopes", token.scopes.join(", "));
    if (status === 204) response.writeHead(204).end();
    else if (typeof answer === "string")
      response.writeHead(status, { "content-type": "text/plain" }).end(answer);
    else if (method === "GET" && Array.isArray(answer)) {
      const page = pageOf(answer, url, below === "/pullrequests" ? MAX_PULL_PAGE : MAX_PAGE);
      sendJson(response, page.status, page.answer);
    } else sendJson(response, status, answer);
  }

  #token(request: IncomingMessage): BitbucketToken | undefined {
    const [, given = ""] = /^bearer (.+)$/i.exec(request.headers.authorization ?? "") ?? [];
    return this.tokens.get(given);
  }

  #gitAccess(request: IncomingMessage): "none" | "read" | "write" {
    const { user, password } = basicCredentials(request);
    const token = user === "x-token-auth" ? this.tokens.get(password) : undefined;
    if (token === undefined) return "none";
    const has = scopesOf(token);
    if (has.has("repository:write")) return "write";
    return has.has("repository") ? "read" : "none";
  }

  /** Null for what is not of the repository. */
  #below(path: string): string | null {
    const root = `/repositories/${this.fullName}`;
    return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : null;
  }

  #resultOf(asked: Asked): Answer {
    const { request, method, path } = asked;
    const token = this.#token(request);
    if (token === undefined) return UNAUTHORIZED;
    const isPersons = token.account.type === "user";
    // Access tokens have no user: https://github.com/decocms/studio/pull/7231 (2026-09-15).
    if (path === "/user") {
      if (!isPersons) return UNAUTHORIZED;
      if (!scopesOf(token).has("account")) return scopesLacking(["account"], token.scopes);
      return { status: 200, answer: token.account };
    }
    const [, of] = /^\/users\/([^/]+)$/.exec(path) ?? [];
    if (of !== undefined) {
      const account = this.accounts.get(decodeURIComponent(of));
      return account === undefined ? NOT_FOUND : { status: 200, answer: account };
    }
    const below = this.#below(path);
    if (below === null) return NOT_FOUND;
    const required = scopeOf(method, below);
    if (required === null) return NOT_FOUND;
    if (!scopesOf(token).has(required)) return scopesLacking([required], token.scopes);
    return this.#inRepository({ ...asked, below }, token.account);
  }

  #inRepository({ method, url, below, body }: Asked & { readonly below: string }, by: FakeAccount): Answer {
    const given: Readonly<Record<string, unknown>> = body === "" ? {} : JSON.parse(body);
    if (below === "")
      return {
        status: 200,
        answer: {
          type: "repository",
          uuid: this.uuid,
          full_name: this.fullName,
          mainbranch: { type: "branch", name: "main" },
          links: { html: { href: this.webUrl } },
        },
      };
    if (below === "/effective-default-reviewers")
      return {
        status: 200,
        answer: this.defaultReviewers.map((user) => ({
          type: "default_reviewer",
          reviewer_type: "repository",
          user,
        })),
      };
    if (below === "/pullrequests") return method === "GET" ? this.#listPulls(url) : this.#openPull(given, by);
    const [, number, more] = /^\/pullrequests\/(\d+)(?:\/comments((?:\/.+)?))?$/.exec(below) ?? [];
    if (number !== undefined) {
      const pull = this.pulls.get(Number(number));
      if (pull === undefined) return NOT_FOUND;
      if (more !== undefined)
        return pull.comments.handle({
          method,
          path: more,
          body: given,
          by,
          nextId: () => this.nextId(),
          linesOf: (path) => this.#linesOf(pull, path),
        });
      return method === "GET" ? { status: 200, answer: this.#view(pull) } : this.#changePull(pull, given);
    }
    return this.#ofCommits({ method, url, below, given });
  }

  #ofCommits({
    method,
    url,
    below,
    given,
  }: {
    readonly method: string;
    readonly url: URL;
    readonly below: string;
    readonly given: Readonly<Record<string, unknown>>;
  }): Answer {
    const [, of, isStatus] = /^\/commit\/(\w+)(\/statuses\/build)?$/.exec(below) ?? [];
    if (of !== undefined) {
      const hash = this.repository.tryGit(["rev-parse", "--verify", "--quiet", `${of}^{commit}`]);
      if (hash === null) return NOT_FOUND;
      if (isStatus !== undefined) return method === "POST" ? this.#setStatus(hash, given) : NOT_FOUND;
      const message = this.repository.git.git(["show", "-s", "--format=%B", hash]);
      return { status: 200, answer: { type: "commit", hash, message } };
    }
    const [, kind, first = "", second = ""] =
      /^\/(diff|diffstat|merge-base)\/(\w+)\.\.(\w+)$/.exec(below) ?? [];
    if (kind !== undefined)
      return this.#compared(kind, { first, second, isTopic: url.searchParams.get("topic") === "true" });
    const [, ref, path] = /^\/src\/(\w+)\/(.+)$/.exec(below) ?? [];
    if (ref === undefined || path === undefined) return NOT_FOUND;
    return this.#file(`${ref}:${decodeURIComponent(path)}`, url.searchParams.get("format") === "meta");
  }

  /** The first commit is the one with the changes: the opposite of `git diff`. */
  #compared(
    kind: string,
    {
      first,
      second,
      isTopic,
    }: { readonly first: string; readonly second: string; readonly isTopic: boolean },
  ): Answer {
    const { repository } = this;
    const base = repository.tryGit(["merge-base", first, second]);
    if (base === null) return NOT_FOUND;
    if (kind === "merge-base") return { status: 200, answer: { type: "commit", hash: base } };
    const from = isTopic ? base : second;
    if (kind === "diff")
      return { status: 200, answer: `${repository.git.git(["diff", "--no-color", "-M", from, first])}\n` };
    const fields = repository.git.git(["diff", "--name-status", "-M", "-z", from, first]).split("\0");
    const stats: object[] = [];
    for (let at = 0; at + 1 < fields.length; ) {
      const status = fields[at] ?? "";
      const isRename = status.startsWith("R");
      const [old = "", now = ""] = isRename ? fields.slice(at + 1, at + 3) : [fields[at + 1], fields[at + 1]];
      at += isRename ? 3 : 2;
      stats.push({
        type: "diffstat",
        status: isRename ? "renamed" : status === "A" ? "added" : status === "D" ? "removed" : "modified",
        old: status === "A" ? null : { path: old },
        new: status === "D" ? null : { path: now },
      });
    }
    return { status: 200, answer: stats };
  }

  #file(name: string, isMeta: boolean): Answer {
    const kind = this.repository.tryGit(["cat-file", "-t", name]);
    if (kind === null) return NOT_FOUND;
    const path = name.slice(name.indexOf(":") + 1);
    if (kind === "tree") return { status: 200, answer: { type: "commit_directory", path } };
    const size = Number(this.repository.git.git(["cat-file", "-s", name]));
    if (isMeta) return { status: 200, answer: { type: "commit_file", path, size, attributes: [] } };
    const text = this.repository.git.git(["cat-file", "blob", name]);
    // The helper takes the last newline away.
    return { status: 200, answer: Buffer.byteLength(text) < size ? `${text}\n` : text };
  }

  #linesOf({ source, destination }: FakePull, path: string): ReadonlySet<number> {
    const { repository } = this;
    const diff = repository.tryGit(["diff", "--no-color", `${destination}...${source}`, "--", path]) ?? "";
    return new Set(newLines(diff.slice(Math.max(0, diff.indexOf("\n@@ ") + 1))).keys());
  }

  #setStatus(sha: string, given: Readonly<Record<string, unknown>>): Answer {
    const { key, state, name = null, description = null, url, refname = null } = given;
    if (typeof key !== "string" || typeof url !== "string") return badRequest("key: This field is required.");
    if (key.length > 40)
      return badRequest(`key: Ensure this value has at most 40 characters (it has ${key.length}).`);
    if (typeof state !== "string" || !STATES.includes(state))
      return badRequest("state: Select a valid choice.");
    const text = (value: unknown) => (typeof value === "string" ? value : null);
    const status = {
      sha,
      key,
      state,
      name: text(name),
      description: text(description),
      url,
      refname: text(refname),
    };
    const there = this.statuses.findIndex((one) => one.sha === sha && one.key === key);
    if (there !== -1) this.statuses.splice(there, 1);
    this.statuses.unshift(status);
    return { status: 201, answer: { type: "build", ...status } };
  }

  #listPulls(url: URL): Answer {
    const [, branch] = /^source\.branch\.name="(.+)"$/.exec(url.searchParams.get("q") ?? "") ?? [];
    const states = url.searchParams.getAll("state");
    const found = [...this.pulls.values()]
      .filter((one) => branch === undefined || one.source === branch)
      .filter((one) => (states.length === 0 ? one.state === "OPEN" : states.includes(one.state)));
    return { status: 200, answer: found.toSorted((a, b) => b.id - a.id).map((one) => this.#view(one)) };
  }

  #openPull(given: Readonly<Record<string, unknown>>, author: FakeAccount): Answer {
    const {
      title,
      description = "",
      source,
      destination,
    } = given as {
      title?: unknown;
      description?: unknown;
      source?: { branch?: { name?: unknown } };
      destination?: { branch?: { name?: unknown } };
    };
    const [from, to] = [source?.branch?.name, destination?.branch?.name ?? "main"];
    if (typeof title !== "string" || title === "") return badRequest("title: This field is required.");
    if (typeof from !== "string" || this.repository.tip(from) === null)
      return badRequest("source: branch not found");
    if (typeof to !== "string" || this.repository.tip(to) === null)
      return badRequest("destination: branch not found");
    if (this.repository.tryGit(["rev-list", "--count", `${to}..${from}`]) === "0")
      return badRequest("There are no changes to be pulled");
    const there = [...this.pulls.values()].find(
      (one) => one.source === from && one.destination === to && one.state === "OPEN",
    );
    if (there !== undefined) return badRequest("There is already an open pull request for this branch.");
    const pull = this.addPull({
      title,
      author,
      source: from,
      destination: to,
      description: String(description),
    });
    return { status: 201, answer: this.#view(pull) };
  }

  /** What is left out is cleared. */
  #changePull(pull: FakePull, given: Readonly<Record<string, unknown>>): Answer {
    const { title, description = "", reviewers = [] } = given;
    if (pull.state !== "OPEN") return badRequest("This pull request is already closed.");
    if (typeof title !== "string" || title === "") return badRequest("title: This field is required.");
    pull.title = title;
    pull.description = String(description);
    pull.reviewers = (reviewers as { uuid: string }[]).flatMap(({ uuid }) => this.accounts.get(uuid) ?? []);
    return { status: 200, answer: this.#view(pull) };
  }

  #view({ id, title, description, state, author, source, destination, ...more }: FakePull): object {
    const end = (branch: string, uuid: string | null) => {
      const hash = this.repository.tip(branch)?.slice(0, 12);
      return {
        branch: { name: branch },
        commit: hash === undefined ? null : { type: "commit", hash },
        repository: uuid === null ? null : { type: "repository", uuid },
      };
    };
    return {
      type: "pullrequest",
      id,
      title,
      description,
      state,
      author,
      reviewers: more.reviewers,
      source: end(source, more.sourceRepository),
      destination: end(destination, this.uuid),
      links: { html: { href: `${this.webUrl}/pull-requests/${id}` } },
    };
  }
}

type Asked = {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly url: URL;
  /** Below the API. */
  readonly path: string;
  readonly body: string;
};

function scopesOf({ scopes }: BitbucketToken): ReadonlySet<string> {
  return new Set(scopes.flatMap((scope) => [scope, ...(implied[scope] ?? [])]));
}

/** As the reference names it for each call. Null for a call that it does not have. */
function scopeOf(method: string, below: string): string | null {
  if (/^\/pullrequests\/\d+\/comments/.test(below)) return "pullrequest";
  if (/^\/pullrequests(\/\d+)?$/.test(below)) return method === "GET" ? "pullrequest" : "pullrequest:write";
  if (below === "/effective-default-reviewers") return "pullrequest";
  if (/^$|^\/(commit|diff|diffstat|merge-base|src)\//.test(below)) return "repository";
  return null;
}

/** The page that was asked for; the address of the next one is a whole one. */
function pageOf(all: readonly unknown[], url: URL, max: number): Answer {
  const pagelen = Number(url.searchParams.get("pagelen") ?? 10);
  if (!(pagelen >= 1 && pagelen <= max)) return badRequest("Invalid pagelen");
  const page = Number(url.searchParams.get("page") ?? 1);
  const values = all.slice((page - 1) * pagelen, page * pagelen);
  const next = new URL(url);
  next.searchParams.set("page", String(page + 1));
  const more = page * pagelen < all.length ? { next: next.href } : {};
  return { status: 200, answer: { values, pagelen, page, size: all.length, ...more } };
}
