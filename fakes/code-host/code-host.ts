// GitHub, faked on loopback: a job's ID tokens, the part of the REST API that is used, and git over smart HTTP.
// Keys, tokens and repositories are real.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Visibility } from "../../src/contract/ci/exchange.ts";
import type { IssuerConfig } from "../../src/service/oidc/issuer-config.ts";
import type { Claims } from "../issuer/claims.ts";
import { startIssuer, type TestIssuer } from "../issuer/issuer.ts";
import type { TokenPermission } from "./comments.ts";
import { sendComparison, sendContents, sendNotFound } from "./contents.ts";
import { type Faults, makeFaults } from "./fault.ts";
import { makeGitHttp, parseGitRequest } from "./git-http.ts";
import { CodeHostApp } from "./github-app.ts";
import { serveGraphql } from "./graphql.ts";
import type { JobOptions } from "./job.ts";
import { type JobPermissions, missingPermission } from "./permission.ts";
import { type PlannedJob, planJob } from "./plan-job.ts";
import { CodeHostPulls } from "./pulls.ts";
import { CodeHostPush } from "./push.ts";
import { CodeHostRest } from "./rest.ts";
import { readBody, sendJson, startLoopbackServer } from "./server.ts";

export type CodeHostRepository = {
  /** A git repository on disk, bare or not. */
  readonly path: string;
  readonly id?: string;
  readonly ownerId?: string;
  readonly visibility?: Visibility;
};

export type CodeHostOptions = {
  /** `owner/name` → its path, or more about it. */
  readonly repositories: Readonly<Record<string, string | CodeHostRepository>>;
  /** Milliseconds since the epoch, for tokens. The machine's clock by default. */
  readonly now?: () => number;
};

export type CodeHostRequest = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type CodeHostJob = PlannedJob & {
  /** The bearer of `ACTIONS_ID_TOKEN_REQUEST_URL`. */
  readonly idTokenRequestToken: string;
  /** `github.token` of this job: for the REST API and private clones. */
  readonly githubToken: string;
  /** The permissions of that token; null for all. */
  readonly permissions: JobPermissions | null;
  /** An ID token as the endpoint would give it, without the request. */
  mintIdToken(audience: string, overrides?: Claims): string;
};

export interface CodeHost {
  readonly url: string;
  readonly issuer: TestIssuer;
  readonly requests: readonly CodeHostRequest[];
  /** Issues, pull requests, comments, and the permissions of people. */
  readonly rest: CodeHostRest;
  /** The pushes of jobs, and protected branches. */
  readonly push: CodeHostPush;
  /** The pull requests that jobs open. */
  readonly pulls: CodeHostPulls;
  /** A GitHub App, and the private repositories that it is installed on. */
  readonly app: CodeHostApp;
  /** Faults by API: ID tokens, REST, git. */
  readonly faults: { readonly idToken: Faults; readonly api: Faults; readonly git: Faults };
  /** This code host as one entry of the service's CI_ISSUERS. */
  readonly issuerEntry: IssuerConfig;
  job(options?: JobOptions): Promise<CodeHostJob>;
  /** Stops both servers and removes the jobs' folders. */
  close(): Promise<void>;
}

type KnownRepository = JobRepository & { readonly path: string };
type JobRepository = { fullName: string; id: string; ownerId: string; visibility: Visibility };

export async function startCodeHost(options: CodeHostOptions): Promise<CodeHost> {
  const issuer = await startIssuer(options.now === undefined ? {} : { now: options.now });
  const repositories = knownRepositories(options.repositories);
  const git = makeGitHttp({
    repositories: new Map([...repositories].map(([name, { path }]) => [name, path])),
  });
  const faults = { idToken: makeFaults(), api: makeFaults(), git: git.faults };
  const jobs = new Map<string, CodeHostJob>();
  const directories: string[] = [];
  const requests: CodeHostRequest[] = [];
  const rest = new CodeHostRest();
  await rest.workflowRuns.open();
  const push = new CodeHostPush();
  const pulls = new CodeHostPulls();
  const app = new CodeHostApp(options.now);

  const server = await startLoopbackServer(async (request, response) => {
    const body = await readBody(request);
    const url = new URL(request.url ?? "/", server.url);
    requests.push({
      method: request.method ?? "",
      path: url.pathname + url.search,
      headers: request.headers,
      body: body.toString(),
    });
    if (url.pathname.startsWith(ID_TOKEN_PREFIX)) {
      await serveIdToken({ request, response, url, jobs, faults: faults.idToken });
    } else if (await app.handle(request, response, { url, body, bearer: bearerOf(request) })) {
      // Answered.
    } else if (/^\/api\/(v3\/|graphql$)/.test(url.pathname)) {
      await serveApi({
        request,
        response,
        url,
        body: body.toString(),
        jobs,
        repositories,
        rest,
        push,
        pulls,
        faults: faults.api,
      });
    } else if (rest.attestations.handleAddress(request, response, url)) {
      // Answered.
    } else if (rest.attachments.handle(request, response, { url, mayRead: isOfJob(request, jobs) })) {
      // Answered.
    } else if (mayNotClone({ request, jobs, repositories })) {
      // A job whose token lacks the permission is told what a stranger with a token is told.
      if (bearerOf(request) !== null) response.writeHead(404).end("Repository not found.\n");
      else
        response
          .writeHead(401, { "www-authenticate": 'Basic realm="GitHub"' })
          .end("Repository not found.\n");
    } else if (!(await takePush({ request, response, body, jobs, repositories, rest, push }))) {
      if (!(await git.handle(request, response, body))) sendNotFound(response);
    }
  });

  return {
    url: server.url,
    issuer,
    requests,
    rest,
    push,
    pulls,
    app,
    faults,
    issuerEntry: {
      provider: "github",
      issuer: issuer.url,
      jwks_uri: issuer.jwksUri,
      clone_url: `${server.url}/{repository}.git`,
      enabled: true,
      allow_events: [],
    },
    job: async (jobOptions = {}) => {
      const name = jobOptions.repository ?? [...repositories.keys()][0] ?? "";
      const repository = repositories.get(name);
      if (repository === undefined) throw new RangeError(`The code host has no repository "${name}".`);
      const jobId = randomUUID();
      const idTokenRequestToken = `request-token-${randomUUID()}`;
      const directory = await mkdtemp(join(tmpdir(), "code-host-job-"));
      directories.push(directory);
      const idTokenUrl = `${server.url}${ID_TOKEN_PREFIX}${randomUUID()}/jobs/${jobId}/idtoken?api-version=2.0`;
      const planned = await planJob({
        serverUrl: server.url,
        repository,
        directory,
        idTokenUrl,
        idTokenRequestToken,
        options: jobOptions,
      });
      const job: CodeHostJob = {
        ...planned,
        idTokenRequestToken,
        githubToken: `ghs_${randomUUID().replaceAll("-", "")}`,
        permissions: jobOptions.permissions ?? null,
        mintIdToken: (aud, overrides = {}) =>
          issuer.sign(issuer.githubClaims({ aud, ...planned.claims, ...overrides })),
      };
      jobs.set(jobId, job);
      rest.publish(job.payload, job.pullRequest);
      return job;
    },
    close: async () => {
      await Promise.all([server.close(), issuer.close(), rest.workflowRuns.close()]);
      push.close();
      for (const directory of directories) await rm(directory, { recursive: true, force: true });
    },
  };
}

const ID_TOKEN_PREFIX = "/_apis/distributedtask/hubs/Actions/plans/";

type HostCall = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly jobs: ReadonlyMap<string, CodeHostJob>;
  readonly faults: Faults;
};

async function serveIdToken(call: HostCall): Promise<void> {
  const { request, response, url, jobs, faults } = call;
  if (await faults.answered(response)) return;
  const job = jobs.get(/\/jobs\/([^/]+)\/idtoken$/.exec(url.pathname)?.[1] ?? "");
  if (job === undefined || request.headers.authorization !== `Bearer ${job.idTokenRequestToken}`) {
    return sendJson(response, 401, { message: "The request token is not this job's." });
  }
  if (url.searchParams.get("api-version") === null)
    return sendJson(response, 400, { message: "No api-version." });
  const audience =
    url.searchParams.get("audience") ?? `${url.origin}/${String(job.claims.repository).split("/")[0]}`;
  const value = job.mintIdToken(audience);
  sendJson(response, 200, { count: value.length, value });
}

async function serveApi(
  call: HostCall & {
    readonly body: string;
    readonly repositories: ReadonlyMap<string, KnownRepository>;
    readonly rest: CodeHostRest;
    readonly push: CodeHostPush;
    readonly pulls: CodeHostPulls;
  },
): Promise<void> {
  const { request, response, url, jobs, repositories, faults } = call;
  if (await faults.answered(response)) return;
  const token = bearerOf(request);
  const job = [...jobs.values()].find(({ githubToken }) => githubToken === token);
  if (token === null || job === undefined) {
    const message = token === null ? "Requires authentication" : "Bad credentials";
    return sendJson(response, 401, {
      message,
      documentation_url: "https://docs.github.com/rest",
      status: "401",
    });
  }
  const known = repositories.get(/^\/api\/v3\/repos\/([^/]+\/[^/]+)$/.exec(url.pathname)?.[1] ?? "");
  if (known !== undefined && request.method === "GET") {
    const { fullName, id, visibility } = known;
    return sendJson(response, 200, {
      id: Number(id),
      full_name: fullName,
      visibility,
      private: visibility !== "public",
      default_branch: "main",
    });
  }
  const isDenied = (permission: TokenPermission) => call.rest.comments.isDenied(permission);
  if (url.pathname === "/api/graphql") {
    return serveGraphql(response, call.body, {
      pathOf: (name) => repositories.get(name)?.path,
      mayWrite: !isDenied("contents"),
      protectedBranches: call.push.protectedBranches,
      resolveThread: (id) => {
        const { permissions } = job;
        const may =
          permissions === null ||
          (permissions.contents === "write" && permissions["pull-requests"] === "write");
        return call.rest.resolveThread(id, may && !isDenied("contents"));
      },
      discussions: call.rest.discussions,
      mayOnDiscussions: mayOnDiscussions(job.permissions, isDenied("discussions")),
      pullRequestList: (number, field) =>
        missingPermission(job.permissions ?? { "pull-requests": "read" }, {
          method: "GET",
          path: `/pulls/${number}`,
        }) === null
          ? call.rest.pullRequestList(number, field)
          : undefined,
    });
  }
  const below = /^\/api\/v3\/repos\/[^/]+\/[^/]+(\/.+)$/.exec(decodeURIComponent(url.pathname))?.[1] ?? "";
  const { method = "" } = request;
  const accepted =
    job.permissions === null ? null : missingPermission(job.permissions, { method, path: below });
  if (accepted !== null) {
    response.setHeader("x-accepted-github-permissions", accepted);
    return sendJson(response, 403, { message: "Resource not accessible by integration", status: "403" });
  }
  const named = repositories.get(/^\/api\/v3\/repos\/([^/]+\/[^/]+)/.exec(url.pathname)?.[1] ?? "");
  if (named !== undefined && call.pulls.handle({ ...call, path: below, repository: named, isDenied })) return;
  if (call.rest.handle(request, response, { url, path: below, body: call.body })) return;
  if (named !== undefined && (await sendComparison(response, { path: below, repositoryPath: named.path })))
    return;
  const match = /^\/api\/v3\/repos\/([^/]+\/[^/]+)\/contents\/?(.*)$/.exec(decodeURIComponent(url.pathname));
  const repository = repositories.get(match?.[1] ?? "");
  if (repository === undefined || request.method !== "GET") return sendNotFound(response);
  await sendContents({
    request,
    response,
    repositoryUrl: `${url.origin}/api/v3/repos/${repository.fullName}`,
    repositoryPath: repository.path,
    filePath: match?.[2] ?? "",
    ref: url.searchParams.get("ref"),
  });
}

function mayOnDiscussions(
  permissions: JobPermissions | null,
  isDenied: boolean,
): { read: boolean; write: boolean } {
  const granted = permissions === null ? "write" : permissions.discussions;
  return { read: granted === "read" || granted === "write", write: granted === "write" && !isDenied };
}

async function takePush(call: {
  request: IncomingMessage;
  response: ServerResponse;
  body: Buffer;
  jobs: ReadonlyMap<string, CodeHostJob>;
  repositories: ReadonlyMap<string, KnownRepository>;
  rest: CodeHostRest;
  push: CodeHostPush;
}): Promise<boolean> {
  const { request, response, body, jobs, repositories, rest, push } = call;
  const token = bearerOf(request);
  const job = [...jobs.values()].find(({ githubToken }) => githubToken === token);
  const granted = job?.permissions ?? null;
  return await push.handle({
    request,
    response,
    body,
    path: repositories.get(parseGitRequest(request)?.repository ?? "")?.path,
    isJobs: job !== undefined,
    isDenied: rest.comments.isDenied("contents") || (granted ?? { contents: "write" }).contents !== "write",
  });
}

/** As GitHub does: without a token, 401 for a private repository and for one that does not exist. */
function mayNotClone(clone: {
  request: IncomingMessage;
  jobs: ReadonlyMap<string, CodeHostJob>;
  repositories: ReadonlyMap<string, KnownRepository>;
}): boolean {
  const asked = parseGitRequest(clone.request);
  if (asked === null) return false;
  if (clone.repositories.get(asked.repository)?.visibility === "public") return false;
  const token = bearerOf(clone.request);
  const job = [...clone.jobs.values()].find(({ githubToken }) => githubToken === token);
  return (
    job === undefined ||
    !["read", "write"].includes((job.permissions ?? { contents: "write" }).contents ?? "")
  );
}

function isOfJob(request: IncomingMessage, jobs: ReadonlyMap<string, CodeHostJob>): boolean {
  const token = bearerOf(request);
  return [...jobs.values()].some(({ githubToken }) => githubToken === token);
}

function bearerOf(request: IncomingMessage): string | null {
  const [scheme = "", value = ""] = (request.headers.authorization ?? "").split(" ");
  if (/^(bearer|token)$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return null;
  return Buffer.from(value, "base64").toString().split(":")[1] ?? null;
}

function knownRepositories(given: CodeHostOptions["repositories"]): Map<string, KnownRepository> {
  const entries = Object.entries(given).map(([fullName, value], index): [string, KnownRepository] => {
    const repository = typeof value === "string" ? { path: value } : value;
    const { path, id = String(74 + index), ownerId = "65", visibility = "public" } = repository;
    return [fullName, { fullName, id, ownerId, visibility, path }];
  });
  return new Map(entries);
}
