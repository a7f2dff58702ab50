// A git folder made without a process, held against what git says of it and against one that git has made.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGit, type Git } from "../../../src/base/git/git.ts";
import { makeRepository } from "../../../src/base/git/make-repository.ts";

const signal = new AbortController().signal;
const FACTS = ["--show-object-format", "--is-bare-repository", "--git-path", "HEAD"];

describe("a repository made without a process", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "make-repository-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const gitOf = (name: string, isBare = true): { git: Git; gitFolder: string } => {
    const gitFolder = join(folder, name);
    const places = { home: folder, gitFolder, treeFolder: isBare ? null : folder };
    return { git: createGit({ environment: { PATH: process.env.PATH }, ...places }), gitFolder };
  };
  const tell = async (git: Git, args: readonly string[], input?: string): Promise<string> => {
    const call = { args, signal, allowedExitCodes: [0, 1, 128], ...(input === undefined ? {} : { input }) };
    return (await git(call)).stdout.toString().replaceAll(/made|asked/g, "…");
  };

  it.each([
    { objectFormat: "sha1", isBare: false },
    { objectFormat: "sha1", isBare: true },
    { objectFormat: "sha256", isBare: false },
    { objectFormat: "sha256", isBare: true },
  ] as const)("is to git as one that git has made: $objectFormat, bare: $isBare", async (kind) => {
    const made = gitOf("made", kind.isBare);
    await makeRepository({ ...made, ...kind, signal });
    const asked = gitOf("asked", kind.isBare);
    const bare = kind.isBare ? ["--bare"] : [];
    const init = ["init", "--quiet", ...bare, "--template=", `--object-format=${kind.objectFormat}`];
    await asked.git({ args: [...init, "--initial-branch=main"], signal });
    for (const args of [
      ["rev-parse", ...FACTS],
      ["symbolic-ref", "HEAD"],
      ["config", "--local", "--list"],
      ["fsck", "--strict"],
      ["hash-object", "-w", "--stdin"],
      ["count-objects"],
    ]) {
      // Git's processes are told where the files are, and nobody reads a log of references.
      const withoutExtras = (text: string): string =>
        text.replaceAll(/^core\.(logallrefupdates|worktree)=.*\n/gm, "");
      const [ours, gits] = [await tell(made.git, args, "one"), await tell(asked.git, args, "one")];
      expect(ours, args.join(" ")).toBe(withoutExtras(gits));
    }
  });

  it("has a commit, or a branch without one, as its head", async () => {
    const first = gitOf("first");
    await makeRepository({ ...first, objectFormat: "sha1", head: "refs/heads/work", signal });
    expect(await tell(first.git, ["symbolic-ref", "HEAD"])).toBe("refs/heads/work\n");
    const tree = (await tell(first.git, ["mktree"], "")).trim();
    const person = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    const commit = (await tell(first.git, [...person, "commit-tree", "-m", "one", tree])).trim();
    const second = gitOf("second");
    await makeRepository({ ...second, objectFormat: "sha1", head: commit, signal });
    expect(await tell(second.git, ["symbolic-ref", "-q", "HEAD"])).toBe("");
    expect(await tell(second.git, ["rev-parse", "HEAD"])).toBe(`${commit}\n`);
  });
});
