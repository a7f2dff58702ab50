// Makes real repositories with fixed authors and dates, hostile ones too: trees are written entry by entry.

import { execFileSync } from "node:child_process";
import { join } from "node:path";

export type TreeEntry = {
  readonly mode: "100644" | "100755" | "120000" | "160000" | "40000";
  readonly name: string;
  readonly sha: string;
};

export type CommitFields = {
  readonly files: Readonly<
    Record<string, string | Buffer | { readonly link: string } | { readonly submodule: string }>
  >;
  readonly parents?: readonly string[];
  readonly subject?: string;
  readonly author?: string;
  /** Days after 2024-01-01T00:00:00Z. */
  readonly day?: number;
};

const FIRST_DAY_SECONDS = 1_704_067_200;
const DAY_SECONDS = 86_400;

export class TestRepository {
  readonly path: string;

  /** Makes an empty bare repository at `<folder>/<name>`. */
  constructor(folder: string, name: string) {
    this.path = join(folder, name);
    execFileSync("git", ["init", "--quiet", "--bare", this.path]);
    this.git(["config", "uploadpack.allowAnySHA1InWant", "true"]);
  }

  git(
    args: readonly string[],
    options: { input?: string | Buffer; env?: Record<string, string> } = {},
  ): string {
    return execFileSync("git", ["-c", "core.fsync=none", ...args], {
      cwd: this.path,
      input: options.input ?? "",
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        ...options.env,
      },
      stdio: ["pipe", "pipe", "pipe"],
      maxBuffer: 64 * 1024 * 1024,
    })
      .toString()
      .trim();
  }

  blob(content: string | Buffer): string {
    return this.git(["hash-object", "-w", "--stdin"], { input: content });
  }

  /** Any entry at all: names that git would refuse to add are written too. */
  tree(entries: readonly TreeEntry[]): string {
    const records = entries.map(({ mode, name, sha }) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, "hex")]),
    );
    return this.git(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], {
      input: Buffer.concat(records),
    });
  }

  /** Commits exactly these files. Returns the commit's name; `refs/heads/main` points to it. */
  commit(fields: CommitFields): string {
    const index = join(this.path, "test-index");
    const env = { GIT_INDEX_FILE: index };
    this.git(["read-tree", "--empty"], { env });
    const lines = Object.entries(fields.files).map(([path, file]) => `${this.#entry(file)}\t${path}\0`);
    this.git(["update-index", "-z", "--index-info"], { env, input: lines.join("") });
    return this.commitTree(this.git(["write-tree"], { env }), fields);
  }

  commitTree(tree: string, fields: Omit<CommitFields, "files">): string {
    const { parents = [], subject = "change", author = "Ada Lovelace", day = 0 } = fields;
    const date = `${FIRST_DAY_SECONDS + day * DAY_SECONDS} +0000`;
    const person = { NAME: author, EMAIL: "author@example.com", DATE: date };
    const env: Record<string, string> = {};
    for (const [field, value] of Object.entries(person)) {
      env[`GIT_AUTHOR_${field}`] = value;
      env[`GIT_COMMITTER_${field}`] = value;
    }
    const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
    const sha = this.git(args, { env, input: subject });
    this.git(["update-ref", "refs/heads/main", sha]);
    return sha;
  }

  #entry(file: CommitFields["files"][string]): string {
    if (typeof file === "string" || Buffer.isBuffer(file)) return `100644 ${this.blob(file)}`;
    return "link" in file ? `120000 ${this.blob(file.link)}` : `160000 ${file.submodule}`;
  }
}
