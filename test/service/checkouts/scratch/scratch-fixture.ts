// A repository with three commits for a test, the scratch that is given only what differs in it, and what git says in the
// repository itself.

import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommitFields, TestRepository } from "../../../../fakes/code-host/git-repository.ts";
import { gitScratch, type ScratchOptions } from "../../../../src/service/checkouts/scratch/git-scratch.ts";
import type {
  GivenObject,
  Merged,
  ScratchObject,
  ScratchRefusal,
} from "../../../../src/service/core/checkouts/git-scratch.ts";

export type Files = CommitFields["files"];
export type Sides = { readonly base: Files; readonly ours: Files; readonly theirs: Files };
export type Trees = { readonly base: string; readonly ours: string; readonly theirs: string };

/** As the scratch sets them. */
const MERGE_CONFIG = [
  ...["-c", "merge.directoryRenames=true", "-c", "merge.renames=true"],
  ...["-c", "merge.renormalize=false"],
];
const NOWHERE = AbortSignal.any([]);

export class ScratchFixture {
  readonly folder: string;
  readonly repository: TestRepository;

  private constructor(folder: string) {
    this.folder = folder;
    this.repository = new TestRepository(folder, "whole.git");
  }

  static async make(): Promise<ScratchFixture> {
    return new ScratchFixture(await mkdtemp(join(tmpdir(), "scratch-test-")));
  }

  scratch(options: Partial<ScratchOptions> = {}): ReturnType<typeof gitScratch> {
    const limits = { maxObjects: 10_000, maxBytes: 100_000_000, timeoutMs: 30_000 };
    return gitScratch({
      folder: join(this.folder, "scratch"),
      environment: process.env,
      limits,
      bundleLimits: limits,
      maxWorking: 2,
      maxWaiting: 2,
      ...options,
    });
  }

  commits({ base, ours, theirs }: Sides): Trees {
    const from = this.repository.commit({ files: base, subject: "base" });
    return {
      base: from,
      ours: this.repository.commit({ files: ours, parents: [from], subject: "ours" }),
      theirs: this.repository.commit({ files: theirs, parents: [from], subject: "theirs" }),
    };
  }

  treeOf(commit: string): string {
    return this.repository.git(["rev-parse", `${commit}^{tree}`]);
  }

  /** Trees and blobs in which the commits differ. */
  differing(from: string, ...others: readonly string[]): readonly ScratchObject[] {
    const oids = new Set([from, ...others].map((commit) => this.treeOf(commit)));
    for (const other of others) {
      const raw = this.repository.git([
        "diff-tree",
        "-r",
        "-t",
        "--raw",
        "--no-renames",
        "--no-abbrev",
        from,
        other,
      ]);
      for (const line of raw.split("\n").filter((text) => text !== "")) {
        const [oldMode = "", newMode = "", before = "", after = ""] = line.slice(1).split(" ");
        if (Number(oldMode) > 0 && oldMode !== "160000") oids.add(before);
        if (Number(newMode) > 0 && newMode !== "160000") oids.add(after);
      }
    }
    return this.objects([...oids]);
  }

  objects(oids: readonly string[]): readonly ScratchObject[] {
    const output = execFileSync("git", ["cat-file", "--batch"], {
      cwd: this.repository.path,
      input: oids.map((oid) => `${oid}\n`).join(""),
      maxBuffer: 256 * 1024 * 1024,
    });
    const found: ScratchObject[] = [];
    for (let at = 0; at < output.length; ) {
      const end = output.indexOf("\n", at);
      const [oid = "", kind, size] = output.toString("latin1", at, end).split(" ");
      if (kind !== "blob" && kind !== "tree" && kind !== "commit") throw new Error(`${oid} is ${kind}.`);
      const start = end + 1;
      at = start + Number(size) + 1;
      found.push({ kind, oid, data: output.subarray(start, at - 1) });
    }
    return found;
  }

  /** Merges out of what differs alone; throws when it was refused. */
  async merge(trees: Trees, options: Partial<ScratchOptions> = {}): Promise<Merged> {
    const result = await this.scratch(options).merge(this.request(trees), NOWHERE);
    if (!result.ok) throw new Error(`The merge was refused: ${JSON.stringify(result.refusal)}`);
    return result.value;
  }

  request(trees: Trees, more: readonly GivenObject[] = []) {
    const objects = [...this.differing(trees.base, trees.ours, trees.theirs), ...more];
    return {
      base: this.treeOf(trees.base),
      ours: this.treeOf(trees.ours),
      theirs: this.treeOf(trees.theirs),
      objects,
    };
  }

  /** What git says that has the whole history: the tree, the entries of conflicts, whether it is clean. */
  wholeMerge({ ours, theirs }: Trees): { tree: string; stages: readonly string[]; isClean: boolean } {
    const { path } = this.repository;
    this.repository.updateRef("refs/heads/ours", ours);
    this.repository.updateRef("refs/heads/theirs", theirs);
    const args = [...MERGE_CONFIG, "merge-tree", "--write-tree", "--no-messages", "-z", "ours", "theirs"];
    const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
    const read = (output: Buffer, isClean: boolean) => {
      const [tree = "", ...stages] = output.toString("utf8").split("\0");
      return { tree: tree.trim(), stages: stages.filter((stage) => stage !== "").sort(), isClean };
    };
    try {
      return read(execFileSync("git", args, { cwd: path, env, stdio: ["ignore", "pipe", "ignore"] }), true);
    } catch (cause) {
      const failed = cause as { status: number | null; stdout: Buffer };
      if (failed.status !== 1) throw cause;
      return read(failed.stdout, false);
    }
  }

  /** Writes what the merge made into the repository, and reads the paths of its tree there. */
  listMerged(merged: Merged): readonly string[] {
    for (const { kind, oid, data } of merged.made) {
      const written = this.repository.git(["hash-object", "-w", "-t", kind, "--stdin"], {
        input: Buffer.from(data),
      });
      if (written !== oid) throw new Error(`${oid} is ${written}.`);
    }
    const listed = this.repository.git(["ls-tree", "-r", merged.tree]);
    return listed.split("\n").map((line) => line.slice(0, 6) + line.slice(line.indexOf("\t")));
  }

  /** What lies in the folder of scratch repositories. */
  async leftOvers(): Promise<readonly string[]> {
    return await readdir(join(this.folder, "scratch")).catch(() => []);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** git's entries of the conflicts, as it would print them. */
export function stagesOf(merged: Merged): readonly string[] {
  return merged.conflicts
    .flatMap(({ path, base, ours, theirs }) =>
      [base, ours, theirs].flatMap((side, at) =>
        side === null ? [] : [`${side.mode} ${side.oid} ${at + 1}\t${path}`],
      ),
    )
    .sort();
}

export function refusalOf<Value>(
  result:
    | { readonly ok: true; readonly value: Value }
    | { readonly ok: false; readonly refusal: ScratchRefusal },
): ScratchRefusal | null {
  return result.ok ? null : result.refusal;
}
