// The repository of the project: files, comparisons and statuses by the API, fetches and pushes by git's smart HTTP, with the token as the
// password. Protected branches refuse pushes as GitLab does. https://docs.gitlab.com/api/repository_files, …/api/commits (2026-11-29)

import type { TestRepository } from "../code-host/git-repository.ts";
import { PushedRepository } from "../code-host/pushed-repository.ts";
import { diffOf } from "./diff.ts";
import type { Result } from "./reviews.ts";

const words = {
  realm: "GitLab",
  isProtected: "GitLab: You are not allowed to push code to protected branches on this project.",
  denied: "You are not allowed to push code to this project.",
};
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

export class FakeRepository extends PushedRepository {
  /** The newest first. */
  readonly statuses: FakeStatus[] = [];
  /** An older GitLab refuses the state that a status has already. */
  refusesSameState = false;

  constructor(git: TestRepository, name: string) {
    super(git, { name, words });
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
      const id = this.tryGit(["merge-base", ...query.getAll("refs[]")]);
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
    const base = this.tryGit(["merge-base", from, to]);
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

  #tryBytes(args: readonly string[]): string | null {
    const text = this.tryGit(args);
    return text === null ? null : `${text}\n`;
  }
}
