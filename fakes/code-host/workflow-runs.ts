// Runs of workflows with their jobs and logs, as GitHub's REST API has them. A log is at another host: the API redirects to
// an address that is its own permission for a minute, and the storage refuses a request that brings a token beside it.
// https://docs.github.com/en/rest/actions/workflow-runs, …/workflow-jobs

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type LoopbackServer, sendJson, startLoopbackServer } from "./server.ts";

export type HostStep = {
  readonly name: string;
  readonly conclusion: string | null;
  /** In whole seconds. */
  readonly started_at?: string;
  readonly completed_at?: string;
};

export type HostJob = {
  readonly name: string;
  /** Null while it executes. */
  readonly conclusion: string | null;
  readonly steps?: readonly HostStep[];
  /** Null before it is written; "deleted" after its time. */
  readonly log: { readonly text: string } | "deleted" | null;
};

export type HostRun = {
  readonly name: string;
  readonly event: string;
  readonly head_sha: string;
  /** Null while a job of it executes. */
  readonly conclusion: string | null;
  readonly jobs: readonly HostJob[];
};

type Known = HostRun & { readonly id: number; readonly workflow_id: number };

export class CodeHostWorkflowRuns {
  /** What reached the storage of logs. */
  readonly downloads: { readonly path: string; readonly authorization: string | undefined }[] = [];
  /** Answers every download in place of the log. */
  storageStatus: number | null = null;
  #runs: Known[] = [];
  #storage: LoopbackServer | null = null;
  readonly #signed = new Map<string, HostJob>();

  async open(): Promise<void> {
    this.#storage = await startLoopbackServer(async (request, response) => this.#sendLog(request, response));
  }

  async close(): Promise<void> {
    await this.#storage?.close();
  }

  /** Adds a run, or replaces the one with this id. */
  put(run: HostRun, id: number = 30_000_001 + this.#runs.length): void {
    this.#runs = this.#runs.filter((known) => known.id !== id);
    this.#runs.push({ ...run, id, workflow_id: workflowId(run.name) });
  }

  clear(): void {
    this.#runs = [];
  }

  /** `path` is below the repository. False for a path that is none of these. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    { url, path }: { url: URL; path: string },
  ): boolean {
    if (request.method !== "GET" || !path.startsWith("/actions/")) return false;
    if (path === "/actions/runs") this.#sendRuns(response, url.searchParams.get("head_sha"));
    else {
      const [, of, id, what] = /^\/actions\/(runs|jobs)\/(\d+)\/(jobs|logs)$/.exec(path) ?? [];
      if (of === "runs" && what === "jobs") this.#sendJobs(response, Number(id));
      else if (of === "jobs" && what === "logs") this.#redirect(response, Number(id));
      else return false;
    }
    return true;
  }

  #sendRuns(response: ServerResponse, headSha: string | null): void {
    const found = this.#runs.filter((run) => headSha === null || run.head_sha === headSha).toReversed();
    const runs = found.map(({ jobs: _, ...run }) => ({ ...run, status: statusOf(run) }));
    sendJson(response, 200, { total_count: runs.length, workflow_runs: runs });
  }

  #sendJobs(response: ServerResponse, id: number): void {
    const run = this.#runs.find((one) => one.id === id);
    if (run === undefined) {
      sendJson(response, 404, { message: "Not Found", status: "404" });
      return;
    }
    const jobs = run.jobs.map(({ log: _, ...job }, at) => {
      return { ...job, id: jobId(run, at), run_id: id, status: statusOf(job), head_sha: run.head_sha };
    });
    sendJson(response, 200, { total_count: jobs.length, jobs });
  }

  #redirect(response: ServerResponse, id: number): void {
    const job = this.#runs.flatMap((run) => run.jobs.filter((_, at) => jobId(run, at) === id))[0];
    if (job === undefined || job.log === "deleted") {
      const status = job === undefined ? 404 : 410;
      sendJson(response, status, {
        message: status === 404 ? "Not Found" : "Server Error",
        status: String(status),
      });
      return;
    }
    const path = `/job-logs/${id}.txt?sig=${randomUUID()}`;
    this.#signed.set(path, job);
    response.writeHead(302, { location: `${this.#storage?.url}${path}` }).end();
  }

  #sendLog(request: IncomingMessage, response: ServerResponse): void {
    const { authorization } = request.headers;
    const path = request.url ?? "";
    this.downloads.push({ path, authorization });
    const log = this.#signed.get(path)?.log;
    const text = { "content-type": "text/plain; charset=utf-8" };
    if (authorization !== undefined) response.writeHead(400).end("<Code>InvalidAuthenticationInfo</Code>");
    else if (this.storageStatus !== null) response.writeHead(this.storageStatus).end();
    else if (typeof log === "object" && log !== null) response.writeHead(200, text).end(log.text);
    else response.writeHead(404).end("<Code>BlobNotFound</Code>");
  }
}

/** A job's log as a runner writes it: each line with its time, the first with a byte order mark. */
export function runnerLog(lines: readonly (readonly [time: string, text: string])[]): string {
  const stamped = lines.flatMap(([time, text]) =>
    text.split("\n").map((line) => `${time.slice(0, -1)}.1234567Z ${line}`),
  );
  return `\uFEFF${stamped.join("\r\n")}\r\n`;
}

function statusOf({ conclusion }: { conclusion: string | null }): string {
  return conclusion === null ? "in_progress" : "completed";
}

function jobId({ id }: Known, at: number): number {
  return id * 100 + at;
}

/** The same for every run of a workflow. */
function workflowId(name: string): number {
  return [...name].reduce((id, char) => (id * 31 + (char.codePointAt(0) ?? 0)) % 1_000_000_007, 7);
}
