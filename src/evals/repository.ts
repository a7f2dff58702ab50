// The repository of an eval: a git folder of its own that borrows the objects of somebody's checkout, and writes nothing there.

import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../base/environment.ts";
import { borrowObjects, type FoundCheckout, readCheckout } from "../base/git/found-checkout.ts";
import { createGit, type Git, type GitCall } from "../base/git/git.ts";
import { overridingAttributes } from "../base/git/hardening.ts";
import { makeRepository } from "../base/git/make-repository.ts";

const GIT_MS = 120_000;
const MAX_TEXT_BYTES = 1_048_576;
const IDENTITY = {
  GIT_AUTHOR_NAME: "eval",
  GIT_AUTHOR_EMAIL: "eval@localhost",
  GIT_COMMITTER_NAME: "eval",
  GIT_COMMITTER_EMAIL: "eval@localhost",
  GIT_AUTHOR_DATE: "2000-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2000-01-01T00:00:00Z",
};

export type ChangedFile = {
  readonly path: string;
  readonly isDeleted: boolean;
  /** Lines added and removed; those of a binary file count as none. */
  readonly lines: number;
};

/** A file of a tree, as git lists it. */
export type TreeFile = { readonly path: string; readonly mode: string; readonly object: string };

type Opening = {
  readonly root: string;
  readonly environment: Environment;
  /** An empty folder that is this repository's alone. */
  readonly folder: string;
  readonly signal: AbortSignal;
};

export class EvalRepository {
  readonly checkout: FoundCheckout;
  readonly #folder: string;
  readonly #environment: Environment;
  readonly #signal: AbortSignal;
  readonly #git: Git;

  private constructor(checkout: FoundCheckout, { folder, environment, signal }: Opening) {
    this.checkout = checkout;
    this.#folder = folder;
    this.#environment = environment;
    this.#signal = signal;
    this.#git = this.#gitOf(join(folder, "store.git"), null);
  }

  /** Null where `root` is no checkout with a commit. */
  static async open(opening: Opening): Promise<EvalRepository | null> {
    const { root, environment, folder, signal } = opening;
    await mkdir(join(folder, "home"), { recursive: true });
    const found = await readCheckout({ root, environment, home: join(folder, "home") }, signal);
    if (found === null) return null;
    const repository = new EvalRepository(found, opening);
    const gitFolder = join(folder, "store.git");
    await borrowObjects({ git: repository.#git, gitFolder, isBare: true, from: found, signal });
    return repository;
  }

  /** Null for what is no commit of the checkout. */
  async commitOf(ref: string): Promise<string | null> {
    // A branch is one of the checkout, which the borrowing folder does not know.
    const { root } = this.checkout;
    const git = this.#gitOf(join(root, ".git"), root);
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const { stdout } = await git({ args, signal: this.#signal, allowedExitCodes: [0, 1, 128] });
    const sha = stdout.toString("utf8").trim();
    return sha === "" ? null : sha;
  }

  async has(object: string): Promise<boolean> {
    const { exitCode } = await this.#git({
      args: ["cat-file", "-e", object],
      signal: this.#signal,
      allowedExitCodes: [0, 1, 128],
    });
    return exitCode === 0;
  }

  /** Commits with a parent along the first parents, the newest first. */
  async history(from: string, maxCommits: number): Promise<readonly { commit: string; parent: string }[]> {
    const args = ["rev-list", "--first-parent", "--parents", `--max-count=${maxCommits}`, from];
    return (await this.#lines(args)).flatMap((line) => {
      const [commit = "", parent] = line.split(" ");
      return parent === undefined ? [] : [{ commit, parent }];
    });
  }

  async message(commit: string): Promise<string> {
    return (await this.#text(["log", "-1", "--format=%B", commit])).trim();
  }

  /** A file that moved was deleted in one place and added in the other. */
  async changes(from: string, to: string): Promise<readonly ChangedFile[]> {
    const diff = ["diff-tree", "-r", "--no-renames", "-z"];
    const statuses = (await this.#text([...diff, "--name-status", from, to])).split("\0");
    const deleted = new Set<string>();
    for (let at = 0; at + 1 < statuses.length; at += 2)
      if (statuses[at] === "D") deleted.add(statuses[at + 1] ?? "");
    const counted = (await this.#text([...diff, "--numstat", from, to])).split("\0");
    return counted.flatMap((record) => {
      const [added = "", removed = "", ...path] = record.split("\t");
      if (path.length === 0) return [];
      const name = path.join("\t");
      return [
        { path: name, isDeleted: deleted.has(name), lines: (Number(added) || 0) + (Number(removed) || 0) },
      ];
    });
  }

  async files(commit: string): Promise<readonly TreeFile[]> {
    const records = (await this.#text(["ls-tree", "-r", "-z", commit])).split("\0");
    return records.flatMap((record) => {
      const [, mode = "", object = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(record) ?? [];
      return path === "" ? [] : [{ path, mode, object }];
    });
  }

  /** Null where there is no such file, or a large one. */
  async fileText(commit: string, path: string): Promise<string | null> {
    const { stdout, exitCode } = await this.#git({
      args: ["cat-file", "blob", `${commit}:${path}`],
      signal: this.#signal,
      allowedExitCodes: [0, 1, 128],
      maxOutputBytes: MAX_TEXT_BYTES,
      onOverflow: "keep",
    });
    return exitCode === 0 ? stdout.toString("utf8") : null;
  }

  /** A commit of these files alone, by nobody in particular: the same files give the same commit. */
  async commitFiles(
    files: readonly TreeFile[],
    { parents, message }: { readonly parents: readonly string[]; readonly message: string },
  ): Promise<string> {
    const env = { GIT_INDEX_FILE: join(await this.#scratch(), "index") };
    const input = files.map(({ mode, object, path }) => `${mode} ${object}\t${path}\0`).join("");
    await this.#git({ args: ["update-index", "-z", "--index-info"], env, input, signal: this.#signal });
    const tree = await this.#text(["write-tree"], { env });
    return await this.#text(
      ["commit-tree", tree.trim(), ...parents.flatMap((parent) => ["-p", parent]), "-m", message],
      { env: IDENTITY },
    ).then((text) => text.trim());
  }

  /** The files below `root` as they are on disk, but for those that are ignored. `since` is the commit that was laid out there. */
  async filesOnDisk(root: string, since: string): Promise<readonly TreeFile[]> {
    const git = this.#gitOf(join(this.#folder, "store.git"), root);
    const env = { GIT_INDEX_FILE: join(await this.#scratch(), "index") };
    const excludes = [`core.excludesFile=${excludesOf(root)}`, "core.bare=false"];
    const signal = this.#signal;
    await git({ args: ["read-tree", since], config: excludes, env, signal });
    await git({ args: ["add", "--all", "."], config: excludes, env, signal });
    const tree = await git({ args: ["write-tree"], config: excludes, env, signal });
    return await this.files(tree.stdout.toString("utf8").trim());
  }

  /**
   * Makes `root` a checkout of the commit with a history of at most `depth` commits, in a repository that knows no others: what came
   * after it cannot be looked up there. A checkout that is there already is changed to the commit, and keeps what git ignores.
   */
  async layOut(
    commit: string,
    { root, depth }: { readonly root: string; readonly depth: number },
  ): Promise<void> {
    const gitFolder = join(root, ".git");
    const git = this.#gitOf(gitFolder, root);
    const { objectFormat } = this.checkout;
    const signal = this.#signal;
    await makeRepository({ git, gitFolder, objectFormat, signal });
    await mkdir(join(gitFolder, "info"), { recursive: true });
    await writeFile(join(gitFolder, "info", "attributes"), overridingAttributes);
    const listed = await this.#text(["rev-list", "--objects", `--max-count=${depth}`, commit]);
    const names = listed.split("\n").flatMap((line) => line.split(" ", 1));
    const pack = join(gitFolder, "objects", "pack", `pack-${randomUUID()}.pack`);
    await this.#git({
      args: ["pack-objects", "--quiet", "--stdout"],
      input: `${names.filter((name) => name !== "").join("\n")}\n`,
      signal,
      outputFile: pack,
    });
    await git({ args: ["index-pack", pack], signal });
    await writeFile(join(gitFolder, "shallow"), await this.#boundary(commit, depth));
    await writeFile(join(gitFolder, "refs", "heads", "main"), `${commit}\n`);
    await git({ args: ["reset", "--quiet", "--hard", commit], signal });
    await git({ args: ["clean", "--quiet", "-ffd"], signal });
  }

  /** What lies there now beside the commit's files, a setup's output, is no change of whoever works there later. */
  async ignoreOthers(root: string): Promise<void> {
    const git = this.#gitOf(join(root, ".git"), root);
    const args = ["ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "-z"];
    const { stdout } = await git({ args, signal: this.#signal });
    const lines = stdout
      .toString("utf8")
      .split("\0")
      .filter((path) => path !== "")
      .map((path) => `/${path.replace(/[\\*?[\]!# ]/g, "\\$&")}\n`);
    await writeFile(excludesOf(root), lines.join(""));
  }

  /** Commits whose parents are not laid out, one a line. */
  async #boundary(commit: string, depth: number): Promise<string> {
    const lines = await this.#lines(["rev-list", "--parents", `--max-count=${depth}`, commit]);
    const rows = lines.map((line) => line.split(" "));
    const known = new Set(rows.map(([name = ""]) => name));
    return rows
      .filter(([, ...parents]) => parents.some((parent) => !known.has(parent)))
      .map(([name = ""]) => `${name}\n`)
      .join("");
  }

  async #scratch(): Promise<string> {
    return await mkdtemp(join(this.#folder, "scratch-"));
  }

  #gitOf(gitFolder: string, treeFolder: string | null): Git {
    const home = join(this.#folder, "home");
    return createGit({ environment: this.#environment, home, gitFolder, treeFolder, timeoutMs: GIT_MS });
  }

  async #lines(args: readonly string[]): Promise<readonly string[]> {
    return (await this.#text(args)).split("\n").filter((line) => line !== "");
  }

  async #text(args: readonly string[], more: Pick<GitCall, "env"> = {}): Promise<string> {
    const { stdout } = await this.#git({ args, signal: this.#signal, ...more });
    return stdout.toString("utf8");
  }
}

function excludesOf(root: string): string {
  return join(root, ".git", "info", "exclude");
}
