// A bare repository of real git: what our own objects and trees are held against.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import {
  type GitObject,
  MissingObjectError,
  oidOf,
} from "../../src/service/core/workspaces/objects/git-object.ts";
import { parseTree, type TreeEntry } from "../../src/service/core/workspaces/objects/tree-object.ts";
import type { TreeSource } from "../../src/service/core/workspaces/objects/tree-source.ts";

type GitCall<Output> = (
  args: readonly string[],
  input?: string | Uint8Array,
  env?: Readonly<Record<string, string>>,
) => Output;

export type GitRepository = {
  readonly folder: string;
  /** What git writes. Throws with its error output where it fails. */
  git: GitCall<Buffer>;
  text: GitCall<string>;
  /** Puts an object where git looks for it, and returns its name. */
  write(object: GitObject): string;
  /** The tree of the files, by git's own index. */
  treeOf(files: ReadonlyMap<string, { readonly mode: string; readonly oid: string }>): string;
  /** `path → mode and oid`, by git's own walk. */
  filesOf(tree: string): Map<string, { mode: string; oid: string }>;
  [Symbol.dispose](): void;
};

export function openGitRepository(): GitRepository {
  const folder = mkdtempSync(join(tmpdir(), "git-objects-"));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_DIR: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  const git: GitCall<Buffer> = (args, input = "", more = {}) =>
    execFileSync("git", args, {
      env: { ...env, ...more },
      input,
      maxBuffer: 256 * 1024 * 1024,
      stdio: "pipe",
    });
  git(["init", "-q", "--bare", folder]);
  const text: GitCall<string> = (...call) =>
    git(...call)
      .toString()
      .trimEnd();
  return {
    folder,
    git,
    text,
    write: (object) => {
      const oid = oidOf(object);
      const file = join(folder, "objects", oid.slice(0, 2), oid.slice(2));
      // Git's own objects may not be written to, but by root.
      if (existsSync(file)) return oid;
      mkdirSync(dirname(file), { recursive: true });
      const head = Buffer.from(`${object.kind} ${object.data.byteLength}\0`);
      const stored = deflateSync(Buffer.concat([head, object.data]), { level: 1 });
      writeFileSync(file, stored);
      return oid;
    },
    treeOf: (files) => {
      rmSync(join(folder, "index"), { force: true });
      const lines = [...files].map(([path, { mode, oid }]) => `${mode} ${oid}\t${path}\0`);
      git(["update-index", "-z", "--index-info"], lines.join(""));
      return text(["write-tree", "--missing-ok"]);
    },
    filesOf: (tree) => {
      const lines = git(["ls-tree", "-r", "-z", tree]).toString().split("\0").slice(0, -1);
      return new Map(
        lines.map((line) => {
          const [head = "", path = ""] = line.split("\t");
          const [mode = "", , oid = ""] = head.split(" ");
          return [path, { mode, oid }];
        }),
      );
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type CountingSource = TreeSource & { readonly reads: { trees: number; requests: number } };

/** Trees out of git's own store; counts what was read. */
export function gitTrees({ git }: GitRepository): CountingSource {
  const reads = { trees: 0, requests: 0 };
  return {
    reads,
    trees: async (oids) => {
      reads.trees += oids.length;
      reads.requests += 1;
      return readBatch(git(["cat-file", "--batch"], `${oids.join("\n")}\n`));
    },
  };
}

function readBatch(output: Buffer): Map<string, readonly TreeEntry[]> {
  const trees = new Map<string, readonly TreeEntry[]>();
  for (let at = 0; at < output.length; ) {
    const newline = output.indexOf("\n", at);
    const [oid = "", kind, size] = output.toString("latin1", at, newline).split(" ");
    if (kind !== "tree") throw new MissingObjectError(oid);
    const end = newline + 1 + Number(size);
    trees.set(oid, parseTree(output.subarray(newline + 1, end)));
    at = end + 1;
  }
  return trees;
}
