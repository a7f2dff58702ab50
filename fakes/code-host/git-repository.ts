// Makes real repositories with fixed authors and dates, hostile ones too: trees are written entry by entry. Objects and
// refs are written as files: a process of git's for each of them takes most of a test's time.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";

export type TreeEntry = {
  readonly mode: "100644" | "100755" | "120000" | "160000" | "40000";
  readonly name: string;
  readonly sha: string;
};

export type CommitFields = {
  readonly files: Readonly<
    Record<
      string,
      | string
      | Buffer
      | { readonly program: string }
      | { readonly link: string }
      | { readonly submodule: string }
    >
  >;
  readonly parents?: readonly string[];
  readonly subject?: string;
  readonly author?: string;
  /** Days after 2024-01-01T00:00:00Z. */
  readonly day?: number;
};

const FIRST_DAY_SECONDS = 1_704_067_200;
const DAY_SECONDS = 86_400;
const OBJECT_NAME = /^[0-9a-f]{40}$/;
const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[uploadpack]
\tallowAnySHA1InWant = true
`;

type Folder = Map<string, Folder | Omit<TreeEntry, "name">>;

export class TestRepository {
  readonly path: string;

  /** Makes an empty bare repository at `<folder>/<name>`, whose `HEAD` is `main`. */
  constructor(folder: string, name: string) {
    this.path = join(folder, name);
    for (const inside of ["objects", "refs/heads"]) mkdirSync(join(this.path, inside), { recursive: true });
    writeFileSync(join(this.path, "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(this.path, "config"), CONFIG);
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
    return this.#write("blob", content);
  }

  /** Any entry at all, in any order: what git would refuse to add is written too. */
  tree(entries: readonly TreeEntry[]): string {
    const records = entries.map(({ mode, name, sha }) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, "hex")]),
    );
    return this.#write("tree", Buffer.concat(records));
  }

  /** Commits exactly these files. Returns the commit's name; `refs/heads/main` points to it. */
  commit(fields: CommitFields): string {
    const root: Folder = new Map();
    for (const [path, file] of Object.entries(fields.files)) {
      const names = path.split("/");
      const name = names.pop() ?? "";
      folderAt(root, names).set(name, this.#entry(file));
    }
    return this.commitTree(this.#folder(root), fields);
  }

  /** Commits a tree. Returns the commit's name; `refs/heads/main` points to it. */
  commitTree(tree: string, fields: Omit<CommitFields, "files">): string {
    const { parents = [], subject = "change", author = "Ada Lovelace", day = 0 } = fields;
    const person = `${author} <author@example.com> ${FIRST_DAY_SECONDS + day * DAY_SECONDS} +0000`;
    const headers = [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${person}`,
      `committer ${person}`,
    ];
    const sha = this.#write("commit", `${headers.join("\n")}\n\n${subject}`);
    this.updateRef("refs/heads/main", sha);
    return sha;
  }

  /** Makes a ref point to an object, by the object's name. */
  updateRef(ref: string, sha: string): void {
    if (!OBJECT_NAME.test(sha)) throw new Error(`"${sha}" is not the name of an object.`);
    const path = join(this.path, ref);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${sha}\n`);
  }

  #entry(file: CommitFields["files"][string]): Omit<TreeEntry, "name"> {
    if (typeof file === "string" || Buffer.isBuffer(file)) return { mode: "100644", sha: this.blob(file) };
    if ("program" in file) return { mode: "100755", sha: this.blob(file.program) };
    if ("link" in file) return { mode: "120000", sha: this.blob(file.link) };
    return { mode: "160000", sha: file.submodule };
  }

  #folder(folder: Folder): string {
    const entries = [...folder].map(
      ([name, entry]): TreeEntry =>
        entry instanceof Map ? { mode: "40000", name, sha: this.#folder(entry) } : { name, ...entry },
    );
    return this.tree(entries.sort((a, b) => Buffer.compare(sortKey(a), sortKey(b))));
  }

  #write(type: "blob" | "tree" | "commit", content: string | Buffer): string {
    const body = Buffer.from(content);
    const object = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
    const sha = createHash("sha1").update(object).digest("hex");
    const folder = join(this.path, "objects", sha.slice(0, 2));
    const path = join(folder, sha.slice(2));
    if (existsSync(path)) return sha;
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, deflateSync(object, { level: 1 }), { mode: 0o444 });
    return sha;
  }
}

function folderAt(root: Folder, names: readonly string[]): Folder {
  let folder = root;
  for (const name of names) {
    const inner = folder.get(name) ?? new Map();
    if (!(inner instanceof Map)) throw new Error(`"${name}" is a file and a folder.`);
    folder.set(name, inner);
    folder = inner;
  }
  return folder;
}

/** git's order of a tree's entries: a folder as if its name ended in a slash. */
function sortKey({ mode, name }: TreeEntry): Buffer {
  return Buffer.from(mode === "40000" ? `${name}/` : name);
}
