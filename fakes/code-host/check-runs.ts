// Check runs of a commit, as GitHub's REST API has them. https://docs.github.com/en/rest/checks/runs

import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "./server.ts";

export type CheckAnnotation = {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: string;
  readonly title: string;
  readonly message: string;
};

export type CheckRun = {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  readonly external_id: string | null;
  readonly conclusion: string;
  readonly html_url: string;
  readonly output: {
    readonly title: string;
    readonly summary: string;
    readonly annotations: CheckAnnotation[];
  };
};

type Sent = Omit<CheckRun, "id" | "html_url">;

const MAX_ANNOTATIONS = 50;

export class CodeHostCheckRuns {
  /** Oldest first. */
  readonly all: CheckRun[] = [];
  #nextId = 9_000_001;

  /** Answers a read or a write. False for a path that is none of these. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    { path, body }: { path: string; body: string },
  ): boolean {
    const [, sha] = /^\/commits\/([0-9a-f]{40})\/check-runs$/.exec(path) ?? [];
    if (sha !== undefined && request.method === "GET") {
      const found = this.all.filter((one) => one.head_sha === sha);
      sendJson(response, 200, { total_count: found.length, check_runs: found });
      return true;
    }
    const [, id] = /^\/check-runs(?:\/(\d+))?$/.exec(path) ?? [];
    if (path === "/check-runs" && request.method === "POST") this.#make(response, JSON.parse(body));
    else if (id !== undefined && request.method === "PATCH")
      this.#add(response, Number(id), JSON.parse(body));
    else return false;
    return true;
  }

  #make(response: ServerResponse, sent: Sent): void {
    if (isTooMany(response, sent)) return;
    const id = this.#nextId++;
    const made = { ...sent, id, html_url: `https://code-host.example/runs/${id}` };
    this.all.push(made);
    sendJson(response, 201, made);
  }

  /** An update adds annotations to those that are there. */
  #add(response: ServerResponse, id: number, sent: Pick<Sent, "output">): void {
    const found = this.all.find((one) => one.id === id);
    if (found === undefined) sendJson(response, 404, { message: "Not Found", status: "404" });
    else if (!isTooMany(response, sent)) {
      found.output.annotations.push(...sent.output.annotations);
      sendJson(response, 200, found);
    }
  }
}

function isTooMany(response: ServerResponse, { output }: Pick<Sent, "output">): boolean {
  if (output.annotations.length <= MAX_ANNOTATIONS) return false;
  sendJson(response, 422, { message: "Validation Failed: no more than 50 annotations", status: "422" });
  return true;
}
