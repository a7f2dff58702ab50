// Pull requests and branches of GitHub's REST API, as a job's token makes them, over a real repository.
// https://docs.github.com/en/rest/pulls/pulls, …/git/refs

import { execFileSync } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ACTIONS_BOT, type TokenPermission } from "./comments.ts";
import { sendJson } from "./server.ts";

export type CodeHostPull = {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: "open" | "closed";
  readonly head: string;
  readonly base: string;
  readonly merged_at?: string | null;
};

export type PullsCall = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Below the repository. */
  readonly path: string;
  readonly body: string;
  readonly repository: { readonly fullName: string; readonly path: string };
  readonly isDenied: (permission: TokenPermission) => boolean;
};

export class CodeHostPulls {
  /** Whether "Allow GitHub Actions to create and approve pull requests" is set. */
  mayBeOpened = true;
  readonly #pulls: CodeHostPull[] = [];

  get all(): readonly CodeHostPull[] {
    return this.#pulls;
  }

  edit(number: number, fields: Partial<CodeHostPull>): void {
    const at = this.#pulls.findIndex((pull) => pull.number === number);
    const pull = this.#pulls[at];
    if (pull === undefined) throw new RangeError(`The code host has no pull request ${number}.`);
    this.#pulls[at] = { ...pull, ...fields };
  }

  /** False for a request that is none of these. */
  handle(call: PullsCall): boolean {
    const { request, path } = call;
    switch (`${request.method} ${path.replace(/\d+$/, "N").replace(/^(\/git\/refs\/heads\/).+/, "$1*")}`) {
      case "GET /pulls":
        this.#list(call);
        return true;
      case "POST /pulls":
        this.#open(call);
        return true;
      case "PATCH /pulls/N":
        return this.#update(call);
      case "POST /git/refs":
        this.#makeRef(call);
        return true;
      case "DELETE /git/refs/heads/*":
        git(call, ["update-ref", "-d", path.replace(/^\/git\//, "")]);
        call.response.writeHead(204).end();
        return true;
      default:
        return false;
    }
  }

  #list(call: PullsCall): void {
    const { url, repository, response } = call;
    const state = url.searchParams.get("state") ?? "open";
    const head = url.searchParams.get("head");
    const [owner] = repository.fullName.split("/");
    const found = this.#pulls.filter(
      (pull) =>
        (state === "all" || pull.state === state) && (head === null || head === `${owner}:${pull.head}`),
    );
    const shown = found.toReversed().map((pull) => shownPull(call, pull));
    sendJson(response, 200, url.searchParams.get("page") === "2" ? [] : shown);
  }

  #open(call: PullsCall): void {
    const { response, body } = call;
    if (refusedFor(call, "pull-requests")) return;
    if (!this.mayBeOpened) {
      const message = "GitHub Actions is not permitted to create or approve pull requests.";
      sendJson(response, 403, { message, status: "403" });
      return;
    }
    const { title, body: text, head, base } = JSON.parse(body) as Record<string, string>;
    const isTaken = this.#pulls.some((pull) => pull.state === "open" && pull.head === head);
    const fault = faultOf(call, { head: head ?? "", base: base ?? "", isTaken });
    if (fault !== null || text === undefined || text.length > 65_536 || !title) {
      const errors = [{ message: fault ?? "body is too long (maximum is 65536 characters)" }];
      sendJson(response, 422, { message: "Validation Failed", errors });
      return;
    }
    const number = 100 + this.#pulls.length;
    const pull: CodeHostPull = {
      number,
      title,
      body: text,
      state: "open",
      head: head ?? "",
      base: base ?? "",
    };
    this.#pulls.push(pull);
    sendJson(response, 201, shownPull(call, pull));
  }

  #update(call: PullsCall): boolean {
    const number = Number(call.path.split("/")[2]);
    if (!this.#pulls.some((pull) => pull.number === number)) return false;
    if (refusedFor(call, "pull-requests")) return true;
    this.edit(number, JSON.parse(call.body) as Partial<CodeHostPull>);
    const pull = this.#pulls.find((one) => one.number === number);
    if (pull !== undefined) sendJson(call.response, 200, shownPull(call, pull));
    return true;
  }

  #makeRef(call: PullsCall): void {
    if (refusedFor(call, "contents")) return;
    const { ref, sha } = JSON.parse(call.body) as Record<string, string>;
    if (shaOf(call, ref ?? "") !== null) {
      sendJson(call.response, 422, { message: "Reference already exists" });
      return;
    }
    git(call, ["update-ref", ref ?? "", sha ?? ""]);
    sendJson(call.response, 201, { ref, object: { sha, type: "commit" } });
  }
}

function faultOf(
  call: PullsCall,
  { head, base, isTaken }: { head: string; base: string; isTaken: boolean },
): string | null {
  const [headSha, baseSha] = [shaOf(call, `refs/heads/${head}`), shaOf(call, `refs/heads/${base}`)];
  if (headSha === null) return "head is invalid";
  if (baseSha === null) return "base is invalid";
  if (isTaken) return `A pull request already exists for ${head}.`;
  return git(call, ["rev-list", "--count", `${baseSha}..${headSha}`]) === "0"
    ? `No commits between ${base} and ${head}`
    : null;
}

function shownPull(call: PullsCall, pull: CodeHostPull): Record<string, unknown> {
  const { url, repository } = call;
  const end = (ref: string) => ({ ref, sha: shaOf(call, `refs/heads/${ref}`) ?? "0".repeat(40) });
  return {
    ...pull,
    html_url: `${url.origin}/${repository.fullName}/pull/${pull.number}`,
    user: ACTIONS_BOT,
    head: end(pull.head),
    base: end(pull.base),
  };
}

function refusedFor({ response, isDenied }: PullsCall, permission: TokenPermission): boolean {
  if (!isDenied(permission)) return false;
  response.setHeader("x-accepted-github-permissions", `${permission.replace("-", "_")}=write`);
  sendJson(response, 403, { message: "Resource not accessible by integration", status: "403" });
  return true;
}

function shaOf(call: PullsCall, ref: string): string | null {
  return git(call, ["for-each-ref", "--format=%(objectname)", ref]) || null;
}

function git({ repository }: PullsCall, args: readonly string[]): string {
  return execFileSync("git", args, { cwd: repository.path, stdio: ["ignore", "pipe", "pipe"] })
    .toString()
    .trim();
}
