// The repository of the project: files, comparisons and statuses by the API, fetches and pushes by git's smart HTTP, with the token as the
// password. Protected branches refuse pushes as GitLab does. https://docs.gitlab.com/api/repository_files, …/api/commits (2026-11-29)

import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { TestRepository } from "../code-host/git-repository.ts";
import { PushedRepository } from "../code-host/pushed-repository.ts";
import { diffOf } from "./diff.ts";
import type { Person, Result } from "./reviews.ts";
import { personView, type Site, timeOf } from "./views.ts";

const words = {
  realm: "GitLab",
  isProtected: "GitLab: You are not allowed to push code to protected branches on this project.",
  denied: "You are not allowed to push code to this project.",
};
const STATES = ["pending", "running", "success", "failed", "canceled", "skipped"];
const NOT_FOUND = { status: 404, answer: { message: "404 Not found" } };
const DEVELOPER = 30;

export type FakeStatus = {
  readonly id: number;
  readonly sha: string;
  readonly status: string;
  readonly name: string;
  readonly description: string | null;
  readonly target_url: string | null;
  readonly pipeline_id: number | null;
  readonly author: Person;
};

type Setting = {
  readonly body: Readonly<Record<string, unknown>>;
  readonly by: Person;
  readonly level: number;
  readonly site: Site;
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
    readonly by: Person;
    readonly level: number;
    readonly site: Site;
  }): Result | null {
    const { method, below, url, body, by, level, site } = call;
    const query = url.searchParams;
    const [, path] = /^\/repository\/files\/([^/]+)$/.exec(below) ?? [];
    if (path !== undefined) return this.#file(decodeURIComponent(path), query.get("ref") ?? "");
    if (below === "/repository/compare")
      return this.#compare({ from: query.get("from") ?? "", to: query.get("to") ?? "", site });
    if (below === "/repository/merge_base") return this.#mergeBase(query.getAll("refs[]"), site);
    const [, of] = /^\/repository\/commits\/(\w+)\/statuses$/.exec(below) ?? [];
    if (of !== undefined) {
      const name = query.get("name");
      return {
        status: 200,
        answer: this.statuses
          .filter((one) => one.sha === of && (name === null || one.name === name))
          .map((one) => statusView(one, site)),
      };
    }
    const [, sha] = /^\/statuses\/(\w+)$/.exec(below) ?? [];
    if (sha !== undefined && method === "POST") return this.#setStatus(sha, { body, by, level, site });
    return null;
  }

  #file(path: string, ref: string): Result {
    if (ref === "") return { status: 400, answer: { error: "ref is missing, ref is empty" } };
    const commit = this.#commit(ref);
    if (commit === null) return { status: 404, answer: { message: "404 Commit Not Found" } };
    const content = this.#tryBytes(["cat-file", "blob", `${commit}:${path}`]);
    if (content === null) return { status: 404, answer: { message: "404 File Not Found" } };
    return {
      status: 200,
      answer: {
        file_name: basename(path),
        file_path: path,
        size: Buffer.byteLength(content),
        encoding: "base64",
        content_sha256: createHash("sha256").update(content).digest("hex"),
        ref,
        blob_id: this.tryGit(["rev-parse", `${commit}:${path}`]),
        commit_id: commit,
        last_commit_id: this.tryGit(["rev-list", "-1", commit, "--", path]),
        execute_filemode: false,
        content: Buffer.from(content).toString("base64"),
      },
    };
  }

  #compare({ from, to, site }: { readonly from: string; readonly to: string; readonly site: Site }): Result {
    for (const [name, value] of Object.entries({ from, to }))
      if (value === "") return { status: 400, answer: { error: `${name} is missing` } };
    if (this.#commit(from) === null || this.#commit(to) === null)
      return { status: 404, answer: { message: "404 Ref Not Found" } };
    const base = this.tryGit(["merge-base", from, to]);
    if (base === null) return NOT_FOUND;
    const between = this.git.git(["rev-list", "--reverse", `${base}..${to}`]);
    const commits = between.split("\n").filter((id) => id !== "");
    return {
      status: 200,
      answer: {
        commit: commits.length === 0 ? null : this.#commitView(to, site),
        commits: commits.map((id) => this.#commitView(id, site)),
        diffs: diffOf(this.git, base, to),
        compare_timeout: false,
        compare_same_ref: from === to,
        web_url: `${site.url}/${site.path}/-/compare/${from}...${to}`,
      },
    };
  }

  #mergeBase(refs: readonly string[], site: Site): Result {
    if (refs.length < 2) return { status: 400, answer: { message: "Provide at least 2 refs" } };
    const unknown = refs.filter((ref) => this.#commit(ref) === null);
    if (unknown.length > 0) {
      const noun = unknown.length === 1 ? "ref" : "refs";
      return { status: 400, answer: { message: `Could not find ${noun}: ${unknown.join(", ")}` } };
    }
    const id = this.tryGit(["merge-base", ...refs]);
    if (id === null) return { status: 404, answer: { message: "404 Merge Base Not Found" } };
    return { status: 200, answer: this.#commitView(id, site) };
  }

  #commit(ref: string): string | null {
    return this.tryGit(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  }

  #commitView(ref: string, { url, path }: Site): object {
    const format = ["%H", "%h", "%s", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%P", "%B"].join("%x00");
    const text = this.git.git(["show", "--no-patch", `--format=${format}`, ref]);
    const [id, short, title, author, authorEmail, authored, committer, email, committed, parents, message] =
      text.split("\0");
    return {
      id,
      short_id: short,
      title,
      message,
      author_name: author,
      author_email: authorEmail,
      authored_date: authored,
      committer_name: committer,
      committer_email: email,
      committed_date: committed,
      created_at: committed,
      parent_ids: parents?.split(" ").filter((one) => one !== ""),
      web_url: `${url}/${path}/-/commit/${id}`,
    };
  }

  #setStatus(sha: string, { body, by, level, site }: Setting): Result {
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
    const status: FakeStatus = {
      id: 8_001 + this.statuses.length,
      sha,
      status: state,
      name: String(name),
      description: text(description),
      target_url: text(url),
      pipeline_id: typeof pipeline === "number" ? pipeline : null,
      author: by,
    };
    this.statuses.unshift(status);
    return { status: 201, answer: statusView(status, site) };
  }

  #tryBytes(args: readonly string[]): string | null {
    const text = this.tryGit(args);
    return text === null ? null : `${text}\n`;
  }
}

function statusView({ author, ...status }: FakeStatus, site: Site): object {
  const at = timeOf(status.id);
  return {
    ...status,
    ref: "main",
    created_at: at,
    started_at: at,
    finished_at: ["pending", "running"].includes(status.status) ? null : at,
    allow_failure: false,
    coverage: null,
    author: personView(author, site),
  };
}
