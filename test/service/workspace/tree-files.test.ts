import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Workspace, WorkspaceError } from "../../../src/service/core/ports/workspace.ts";
import { createGit } from "../../../src/service/workspace/git-process.ts";
import { gitWorkspace } from "../../../src/service/workspace/git-workspace.ts";
import { WorkspaceBed } from "./workspace-bed.ts";

let bed: WorkspaceBed;
let outside: string;
beforeEach(async () => {
  bed = await WorkspaceBed.make();
  outside = await mkdtemp(join(tmpdir(), "outside-"));
  await writeFile(join(outside, "f"), "TODO secret\n");
});
afterEach(async () => {
  await bed.close();
  await rm(outside, { recursive: true });
});

async function open(): Promise<Workspace> {
  const files = {
    ".gitignore": "*.log\nlinked\n",
    "a/f": "TODO a\n",
    "b/kept.log": "TODO b\n",
    "linked/f": "nothing\n",
    z: "z\n",
  };
  return await bed.open(bed.repository.commit({ files }));
}

async function places(workspace: Workspace, folder = ""): Promise<string[]> {
  const found = await workspace.findText({ texts: ["TODO"], wholeWord: false, ignoreCase: false, folder });
  expect(found.complete).toBe(true);
  return found.matches.map(({ path, line }) => `${path}:${line}`);
}

describe("a tree that an agent works on", () => {
  it("shows new files, and no longer those that are gone, without what git ignores", async () => {
    const workspace = await open();
    const before = [".gitignore", "a/f", "b/kept.log", "linked/f", "z"];
    expect(await workspace.files()).toEqual(before);
    expect(await places(workspace)).toEqual(["a/f:1", "b/kept.log:1"]);

    await mkdir(join(workspace.root, "new\nfolder"));
    await writeFile(join(workspace.root, "new\nfolder", "f"), "\nTODO new\n");
    await writeFile(join(workspace.root, "ignored.log"), "TODO ignored\n");
    await writeFile(join(workspace.root, "z"), "TODO z\n");
    await unlink(join(workspace.root, "a/f"));
    const after = [".gitignore", "b/kept.log", "linked/f", "new\nfolder/f", "z"];
    expect(await workspace.files()).toEqual(after);
    expect(await places(workspace)).toEqual(["b/kept.log:1", "new\nfolder/f:2", "z:1"]);
    expect(await places(workspace, "b")).toEqual(["b/kept.log:1"]);
    expect(await places(workspace, "new\nfolder")).toEqual(["new\nfolder/f:2"]);
  });

  it.each(["a", "linked"])("never looks through %s when it has become a link", async (name) => {
    const workspace = await open();
    await rm(join(workspace.root, name), { recursive: true });
    await symlink(outside, join(workspace.root, name));
    expect((await places(workspace)).filter((place) => place.startsWith(name))).toEqual([]);
    expect(await places(workspace, name)).toEqual([]);
    expect(await places(workspace, `${name}/f`)).toEqual([]);
  });

  it("skips what no search should read: pipes, links, repositories of their own, files without end", async () => {
    const workspace = await open();
    const at = (name: string) => join(workspace.root, name);
    await writeFile(at("huge"), "TODO huge\n");
    await truncate(at("huge"), 2 ** 31);
    await writeFile(at("z"), "TODO z\n");
    await truncate(at("z"), 2 ** 31);
    await symlink(join(outside, "f"), at("link"));
    execFileSync("mkfifo", [at("pipe")]);
    execFileSync("git", ["init", "--quiet", at("inner")]);
    await writeFile(at("inner/f"), "TODO inner\n");
    expect(await places(workspace)).toEqual(["a/f:1", "b/kept.log:1"]);
    expect((await workspace.files()).filter((path) => /inner|pipe/.test(path))).toEqual([]);
  });

  it("gives up looking where a pipe stands in the place of git's own files", async () => {
    const { root } = await open();
    await unlink(join(root, ".gitignore"));
    execFileSync("mkfifo", [join(root, ".gitignore")]);
    const folder = {
      path: join(root, ".."),
      git: join(root, "../git"),
      tree: root,
      home: join(root, "../home"),
    };
    const settings = { environment: process.env, home: folder.home, gitFolder: folder.git, treeFolder: root };
    const workspace = gitWorkspace({
      git: createGit({ ...settings, gitPath: "git", timeoutMs: 200 }),
      folder,
      source: { sha: "0".repeat(40), ref: "refs/heads/main", event: "push", baseRef: null },
      unsearched: [],
      signal: new AbortController().signal,
    });
    for (const look of [workspace.files(), places(workspace)]) {
      const error: unknown = await look.catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(WorkspaceError);
      expect(String(error)).toContain("git ls-files took longer than the 0.2 s that it may. Look for a pipe");
    }
  });
});
