// The repository of the project: files, comparisons and statuses by the API, fetches and pushes by git's smart HTTP, with the token as the
// password. Protected branches refuse pushes as GitLab does. https://docs.gitlab.com/api/repository_files, …/api/commits (2026-11-29)

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GitHttp, makeGitHttp, parseGitRequest, serveReceivePack } from "../code-host/git-http.ts";
import type { TestRepository } from "../code-host/git-repository.ts";
import { diffOf } from "./diff.ts";
import type { Result } from "./reviews.ts";

const HOOK = `#!/bin/sh
while read old new ref; do
  for name in $FAKE_PROTECTED; do
    if [ "refs/heads/$name" = "$ref" ]; then
      echo "GitLab: You are not allowed to push code to protected branches on this project." >&2
      exit 1
    fi
  done
done
`;
const STATES = ["pending", "running", "success", "failed", "canceled", "skipped"];
const NOT_FOUND = { status: 404, answer: { message: "404 Not found" } };
const DEVELOPER = 30;

export type FakeStatus = {
  readonly sha: string;
  readonly status: string;
  readonly name: string;
  readonly description: string | null;
  readonly target_url: string | null;
  readonly pipeline_id: number | null;
};

/** The token of a request, as git sends it. */
export function basicPassword({ headers }: IncomingMessage): string {
  const [, encoded = ""] = /^basic (.+)$/i.exec(headers.authorization ?? "") ?? [];
  return Buffer.from(encoded, "base64").toString().split(":").slice(1).join(":");
}

export class FakeRepository {
  readonly git: TestRepository;
  /** Branches that nobody pushes to. */
  readonly protectedBranches = new Set<string>();
  /** The newest first. */
  readonly statuses: FakeStatus[] = [];
  /** An older GitLab refuses the state that a status has already. */
  refusesSameState = false;
  /** Awaited before a push is accepted. */
  beforePush: (() => void) | null = null;
  pushes = 0;
  readonly #http: GitHttp;
  readonly #hooks = mkdtempSync(join(tmpdir(), "fake-gitlab-hooks-"));

  constructor(git: TestRepository, name: string) {
    this.git = git;
    this.#http = makeGitHttp({ repositories: new Map([[name, git.path]]) });
    writeFileSync(join(this.#hooks, "pre-receive"), HOOK, { mode: 0o755 });
  }

  hasCommit(sha: string): boolean {
    return this.#try(["cat-file", "-e", `${sha}^{commit}`]) !== null;
  }

  tip(branch: string): string | null {
    return this.#try(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
  }

  /** Null for what is no call about the repository. */
  handle(call: {
    readonly method: string;
    readonly below: string;
    readonly url: URL;
    readonly body: Readonly<Record<string, unknown>>;
    readonly level: number;
  }): Result | null {
    const { method, below, url, body, level } = call;
    const query = url.searchParams;
    const [, path] = /^\/repository\/files\/([^/]+)$/.exec(below) ?? [];
    if (path !== undefined) return this.#file(decodeURIComponent(path), query.get("ref") ?? "");
    if (below === "/repository/compare") return this.#compare(query.get("from") ?? "", query.get("to") ?? "");
    if (below === "/repository/merge_base") {
      const id = this.#try(["merge-base", ...query.getAll("refs[]")]);
      return id === null ? NOT_FOUND : { status: 200, answer: { id } };
    }
    const [, of] = /^\/repository\/commits\/(\w+)\/statuses$/.exec(below) ?? [];
    if (of !== undefined) {
      const name = query.get("name");
      return {
        status: 200,
        answer: this.statuses.filter((one) => one.sha === of && (name === null || one.name === name)),
      };
    }
    const [, sha] = /^\/statuses\/(\w+)$/.exec(below) ?? [];
    if (sha !== undefined && method === "POST") return this.#setStatus(sha, body, level);
    return null;
  }

  /** Answers git's requests and returns true; returns false, untouched, for any other. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    { body, access }: { readonly body: Buffer; readonly access: "none" | "read" | "write" },
  ): Promise<boolean> {
    const asked = parseGitRequest(request);
    if (asked === null) return false;
    if (access === "none") {
      response
        .writeHead(401, { "www-authenticate": 'Basic realm="GitLab"' })
        .end("HTTP Basic: Access denied.\n");
      return true;
    }
    if (asked.service !== "git-receive-pack") return await this.#http.handle(request, response, body);
    if (access !== "write") {
      response
        .writeHead(403, { "content-type": "text/plain" })
        .end("You are not allowed to push code to this project.\n");
      return true;
    }
    if (!asked.advertise) {
      this.pushes += 1;
      this.beforePush?.();
    }
    const env = { FAKE_PROTECTED: [...this.protectedBranches].join(" ") };
    const { advertise } = asked;
    await serveReceivePack({
      ...{ request, response, body, advertise, env },
      path: this.git.path,
      hooks: this.#hooks,
    });
    return true;
  }

  close(): void {
    rmSync(this.#hooks, { recursive: true, force: true });
  }

  #file(path: string, ref: string): Result {
    const content = this.#tryBytes(["cat-file", "blob", `${ref}:${path}`]);
    if (content === null) return { status: 404, answer: { message: "404 File Not Found" } };
    const size = Buffer.byteLength(content);
    return {
      status: 200,
      answer: {
        file_path: path,
        size,
        encoding: "base64",
        content: Buffer.from(content).toString("base64"),
        ref,
      },
    };
  }

  #compare(from: string, to: string): Result {
    const base = this.#try(["merge-base", from, to]);
    if (base === null) return NOT_FOUND;
    return { status: 200, answer: { compare_timeout: false, diffs: diffOf(this.git, base, to) } };
  }

  #setStatus(sha: string, body: Readonly<Record<string, unknown>>, level: number): Result {
    if (level < DEVELOPER) return { status: 403, answer: { message: "403 Forbidden" } };
    if (!this.hasCommit(sha)) return { status: 404, answer: { message: "404 Commit Not Found" } };
    const { state, name = "default", description, target_url: url, pipeline_id: pipeline } = body;
    if (typeof state !== "string" || !STATES.includes(state))
      return { status: 400, answer: { error: "state does not have a valid value" } };
    if (typeof description === "string" && description.length > 255)
      return { status: 422, answer: { message: "Description is too long (maximum is 255 characters)" } };
    const there = this.statuses.find((one) => one.sha === sha && one.name === name);
    if (this.refusesSameState && there?.status === state)
      return {
        status: 400,
        answer: {
          message: `Cannot transition status via :${state} from :${state} (Reason(s): Status cannot transition via "${state}")`,
        },
      };
    const text = (value: unknown) => (typeof value === "string" ? value : null);
    this.statuses.unshift({
      sha,
      status: state,
      name: String(name),
      description: text(description),
      target_url: text(url),
      pipeline_id: typeof pipeline === "number" ? pipeline : null,
    });
    return { status: 201, answer: this.statuses[0] };
  }

  #try(args: readonly string[]): string | null {
    try {
      return this.git.git(args);
    } catch {
      return null;
    }
  }

  #tryBytes(args: readonly string[]): string | null {
    const text = this.#try(args);
    return text === null ? null : `${text}\n`;
  }
}
