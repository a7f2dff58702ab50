// A bare repository of the step's own, where the changes become trees and commits without being checked out. No hook,
// filter or setting of the repository or the user applies.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import type { Git, GitOutput } from "../../base/git/git.ts";
import { GitError } from "../../base/git/git.ts";
import { makeRepository } from "../../base/git/make-repository.ts";
import type { ObjectFormat } from "../../base/git/object-names.ts";
import { jobGit } from "../git/job-git.ts";

/** A path as git stores it: each character is one byte. */
export type TreeChange = {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly newId: string;
};

type CommitFacts = { readonly sha: string; readonly message: string };

type Merged =
  | { readonly type: "tree"; readonly tree: string }
  | { readonly type: "conflict"; readonly paths: readonly string[] };

export type NewCommit = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly person: { readonly name: string; readonly email: string };
  readonly atSeconds: number;
};

type ScratchOptions = {
  readonly env: Environment;
  /** The hash of the repository's commits. */
  readonly objectFormat: ObjectFormat;
  readonly signal: AbortSignal;
};

/** Calls reject with GitError, or with the signal's reason. */
export class ScratchRepository {
  readonly git: Git;
  readonly #folder: string;
  readonly #signal: AbortSignal;

  static async open({ env, objectFormat, signal }: ScratchOptions): Promise<ScratchRepository> {
    const folder = await mkdtemp(join(env.RUNNER_TEMP || tmpdir(), "agent-service-changes-"));
    const home = join(folder, "home");
    await mkdir(home);
    const gitFolder = join(folder, "repository.git");
    const git = jobGit({ env, home, gitFolder, treeFolder: null });
    await makeRepository({ git, gitFolder, objectFormat, isBare: true, signal });
    return new ScratchRepository({ git, folder, signal });
  }

  private constructor({ git, folder, signal }: { git: Git; folder: string; signal: AbortSignal }) {
    this.git = git;
    this.#folder = folder;
    this.#signal = signal;
  }

  async treeOf(commit: string): Promise<string> {
    return await this.#runForText(["rev-parse", "--verify", `${commit}^{tree}`]);
  }

  /** The tree of the commit with the patch in it; null where the patch does not apply, or leads out of the tree. */
  async patchedTree(commit: string, patch: string): Promise<string | null> {
    await this.#run(["read-tree", commit]);
    try {
      await this.#run(["apply", "--cached", "--binary", "--whitespace=nowarn", "-"], { input: patch });
    } catch (cause) {
      if (cause instanceof GitError && cause.code === "git_failed") return null;
      throw cause;
    }
    return await this.#runForText(["write-tree"]);
  }

  /** The differences of two trees; a rename is one deletion and one addition. */
  async changes(from: string, to: string): Promise<TreeChange[]> {
    const { stdout } = await this.#run(["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to]);
    const records = stdout.toString("latin1").split("\0");
    const changes: TreeChange[] = [];
    for (let at = 0; at + 1 < records.length; at += 2) {
      const [oldMode = "", newMode = "", , newId = ""] = (records[at] ?? "").slice(1).split(" ");
      changes.push({ path: records[at + 1] ?? "", oldMode, newMode, newId });
    }
    return changes;
  }

  /** Three-way merge: the change from `base` to `theirs`, applied to `ours`. All are trees. */
  async merge({ base, ours, theirs }: { base: string; ours: string; theirs: string }): Promise<Merged> {
    if (base === ours || ours === theirs) return { type: "tree", tree: theirs };
    if (base === theirs) return { type: "tree", tree: ours };
    const common = await this.#bareCommit(base);
    const sides = [await this.#bareCommit(ours, common), await this.#bareCommit(theirs, common)];
    const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ...sides];
    const { stdout, exitCode } = await this.#run(args, { allowedExitCodes: [0, 1] });
    const [tree = "", ...paths] = stdout.toString("utf8").split("\0");
    if (exitCode === 0) return { type: "tree", tree };
    return { type: "conflict", paths: [...new Set(paths.filter((path) => path !== ""))] };
  }

  async commit({ tree, parents, message, person, atSeconds }: NewCommit): Promise<string> {
    const date = `@${atSeconds} +0000`;
    const env = {
      GIT_AUTHOR_NAME: person.name,
      GIT_AUTHOR_EMAIL: person.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: person.name,
      GIT_COMMITTER_EMAIL: person.email,
      GIT_COMMITTER_DATE: date,
    };
    const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
    return await this.#runForText(args, { env, input: message });
  }

  /** The commit and its first parents, newest first, as far as they were fetched. */
  async history(commit: string, max: number): Promise<CommitFacts[]> {
    const args = ["log", "-z", "--first-parent", `--max-count=${max}`, "--format=%H%n%B", commit];
    const { stdout } = await this.#run(args);
    const records = stdout.toString("utf8").split("\0");
    return records
      .filter((record) => record !== "")
      .map((record) => {
        const end = record.indexOf("\n");
        return { sha: record.slice(0, end), message: record.slice(end + 1) };
      });
  }

  /** False also where too little of the history was fetched to tell. */
  async isAncestor(older: string, newer: string): Promise<boolean> {
    const args = ["merge-base", "--is-ancestor", older, newer];
    return (await this.#run(args, { allowedExitCodes: [0, 1] })).exitCode === 0;
  }

  async blob(id: string): Promise<Buffer> {
    return (await this.#run(["cat-file", "blob", id])).stdout;
  }

  /** A commit as git stores it, without git's header. */
  async commitObject(sha: string): Promise<Buffer> {
    return (await this.#run(["cat-file", "commit", sha])).stdout;
  }

  /** The id of what a commit changes of its parent, wherever the lines are; "" where nothing has one. */
  async patchId(parent: string, sha: string): Promise<string> {
    const args = ["diff-tree", "-p", "--no-renames", "--full-index", parent, sha];
    const { stdout: input } = await this.#run(args);
    const [id = ""] = (await this.#runForText(["patch-id", "--stable"], { input })).split(" ");
    return id;
  }

  /** The paths of a commit's files, links and submodules left out. In order. */
  async paths(commit: string): Promise<string[]> {
    const { stdout } = await this.#run(["ls-tree", "-r", "-z", commit]);
    const entries = stdout.toString("utf8").split("\0");
    return entries.flatMap((entry) => {
      const [about = "", ...path] = entry.split("\t");
      return about.startsWith("100") ? [path.join("\t")] : [];
    });
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** A commit for the merge only, which takes commits. */
  async #bareCommit(tree: string, parent?: string): Promise<string> {
    const person = { name: "merge", email: "merge@localhost" };
    const parents = parent === undefined ? [] : [parent];
    return await this.commit({ tree, parents, message: "", person, atSeconds: 0 });
  }

  async #runForText(args: readonly string[], call: Omit<GitCall, "args"> = {}): Promise<string> {
    return (await this.#run(args, call)).stdout.toString("latin1").trim();
  }

  async #run(args: readonly string[], call: Omit<GitCall, "args"> = {}): Promise<GitOutput> {
    return await this.git({ ...call, args, signal: this.#signal });
  }
}

type GitCall = Omit<Parameters<Git>[0], "signal">;
