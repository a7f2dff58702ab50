// Runs in the files of a checkout that is there: what they change stays, what was dirty before is not theirs, and the
// checkout's own git folder is neither written nor obeyed.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BorrowedFixture, TOKEN } from "./borrowed-fixture.ts";
import { countedGit } from "./counted-git.ts";
import { textQuery } from "./text-query.ts";

let fixture: BorrowedFixture;

beforeEach(async () => {
  fixture = await BorrowedFixture.make({
    "README.md": "# Fixture\n",
    "src/a.ts": "export const a = 1;\n",
    "src/b.ts": "export const b = 2;\n",
    "src/c.ts": "export const c = 3;\n",
    ".gitignore": "ignored/\n",
    ".github/workflows/ci.yml": "on: push\n",
    ".gitattributes": "*.ts filter=evil diff=evil\n",
  });
});

afterEach(() => fixture.close());

const at = (path: string) => join(fixture.root, path);
const pullRequest = { event: "pull_request", ref: "refs/pull/7/merge", baseRef: "main" };

/** Names, times and contents of all that lies in the checkout's git folder. Of objects that are met again, git moves the time. */
async function gitFolderPrint(): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(at(".git"), { recursive: true, withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.parentPath + a.name < b.parentPath + b.name ? -1 : 1))) {
    const path = join(entry.parentPath, entry.name);
    const isObject = path.startsWith(at(".git/objects"));
    hash.update(`${path} ${isObject ? "" : (await stat(path)).mtimeMs}\n`);
    if (entry.isFile()) hash.update(await readFile(path));
  }
  return hash.digest("hex");
}

describe("a run in a checkout", () => {
  it("works in its files, which stay as it left them", async () => {
    const checkout = await fixture.open();
    expect(checkout).toMatchObject({ root: fixture.root, headSha: fixture.headSha });
    await writeFile(at("src/a.ts"), "export const a = 9;\n");
    await writeFile(at("new.txt"), "new\n");
    await rm(at("src/b.ts"));
    const changes = await checkout.workingChanges();
    expect(changes).toMatchObject({ baseSha: fixture.headSha, heldBack: [] });
    expect(changes.files).toEqual([
      { path: "new.txt", status: "added", additions: 1, deletions: 0 },
      { path: "src/a.ts", status: "modified", additions: 1, deletions: 1 },
      { path: "src/b.ts", status: "deleted", additions: 0, deletions: 1 },
    ]);
    await checkout.close();
    expect(await readFile(at("src/a.ts"), "utf8")).toBe("export const a = 9;\n");
    expect(fixture.git(["status", "--porcelain"])).toBe("M src/a.ts\n D src/b.ts\n?? new.txt");
    expect(await fixture.leftOvers()).toEqual([]);
  });

  it("reports nothing of what was dirty before, but what it changes of that", async () => {
    await writeFile(at("src/a.ts"), "export const a = 'mine';\n");
    await writeFile(at("mine.txt"), "mine\n");
    await rm(at("src/b.ts"));
    await writeFile(at("src/c.ts"), "export const c = 'mine';\n");
    fixture.git(["add", "src/c.ts"]);
    await writeFile(at("mine.bin"), "x");
    await truncate(at("mine.bin"), 50_000_000);
    execFileSync("git", ["init", "--quiet", at("mine-nested")]);
    const checkout = await fixture.open();
    expect(await checkout.workingChanges()).toEqual({
      baseSha: fixture.headSha,
      files: [],
      patch: "",
      heldBack: [],
    });
    await writeFile(at("src/a.ts"), "export const a = 'ours';\n");
    await writeFile(at("README.md"), "# Better\n");
    await rm(at("mine.txt"));
    const { files, patch, heldBack } = await checkout.workingChanges();
    expect(files.map(({ path }) => path)).toEqual(["README.md", "src/a.ts"]);
    expect(heldBack).toEqual([]);
    expect(patch).not.toContain("mine");
    expect(fixture.git(["diff", "--cached", "--name-only"])).toBe("src/c.ts");
  });

  it("sees a file that took a folder's place", async () => {
    const checkout = await fixture.open();
    await rm(at("src"), { recursive: true });
    await writeFile(at("src"), "a file now\n");
    const { files } = await checkout.workingChanges();
    expect(files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      "added src",
      "deleted src/a.ts",
      "deleted src/b.ts",
      "deleted src/c.ts",
    ]);
  });

  it("holds back what is protected, and never shows the checkout's token", async () => {
    const checkout = await fixture.open();
    await writeFile(at(".github/workflows/ci.yml"), "on: pull_request_target\n");
    const changes = await checkout.workingChanges();
    expect(changes).toMatchObject({ files: [], patch: "" });
    expect(changes.heldBack).toEqual([{ path: ".github/workflows/ci.yml", reason: "protected" }]);
    const found = await checkout.findText(textQuery(TOKEN));
    expect(found.matches).toEqual([]);
    const runs = join(fixture.folder, "runs");
    for (const entry of await readdir(runs, { recursive: true, withFileTypes: true })) {
      if (entry.isFile())
        expect(await readFile(join(entry.parentPath, entry.name), "latin1")).not.toContain(TOKEN);
    }
  });

  it("hides the configuration of agents that writers did not make, and puts it back", async () => {
    await mkdir(at("deep/.claude"), { recursive: true });
    await writeFile(at("deep/.claude/settings.json"), "{}");
    await writeFile(at("CLAUDE.md"), "Obey.\n");
    await writeFile(at(".mcp.json"), "{}");
    fixture.git(["add", "CLAUDE.md", "deep"]);
    const before = fixture.git(["status", "--porcelain"]);
    const checkout = await fixture.open(undefined, pullRequest);
    const hidden = (await checkout.hideAgentFiles()) ?? [];
    expect(hidden.map(({ path, text }) => [path, text])).toEqual(
      expect.arrayContaining([
        ["CLAUDE.md", "Obey.\n"],
        [".mcp.json", "{}"],
        ["deep/.claude/settings.json", "{}"],
      ]),
    );
    for (const path of ["CLAUDE.md", ".mcp.json", "deep/.claude"]) {
      await expect(stat(at(path))).rejects.toThrow("ENOENT");
    }
    // An agent that puts another in its place, and a link where a folder was.
    await writeFile(at("CLAUDE.md"), "Do as I say.\n");
    await rm(at("deep"), { recursive: true });
    const outside = join(fixture.folder, "outside");
    await mkdir(join(outside, ".claude"), { recursive: true });
    await writeFile(join(outside, ".claude", "kept"), "kept\n");
    await symlink(outside, at("deep"));
    const { heldBack, files } = await checkout.workingChanges();
    expect(heldBack).toContainEqual({ path: "CLAUDE.md", reason: "protected" });
    expect(files.map(({ path }) => path)).not.toContain(".mcp.json");
    await checkout.close();
    expect(await readFile(at("CLAUDE.md"), "utf8")).toBe("Obey.\n");
    expect(await readFile(at(".mcp.json"), "utf8")).toBe("{}");
    expect(await readdir(join(outside, ".claude"))).toEqual(["kept"]);
    await rm(at("deep"));
    const second = await fixture.open(undefined, pullRequest);
    await second.hideAgentFiles();
    await second.close();
    expect(fixture.git(["status", "--porcelain"])).toBe(before.replace("A  deep", "AD deep"));
  });

  it("hides nothing where writers made the commit", async () => {
    await writeFile(at("CLAUDE.md"), "Obey.\n");
    const checkout = await fixture.open();
    expect(await checkout.hideAgentFiles()).toBeNull();
    expect(await readFile(at("CLAUDE.md"), "utf8")).toBe("Obey.\n");
    await checkout.close();
  });

  it("writes nothing into the checkout's git folder, and executes nothing that is set there", async () => {
    const witness = join(fixture.folder, "witness");
    const script = join(fixture.folder, "evil.sh");
    await writeFile(script, `#!/bin/sh\ntouch ${witness}\ncat\n`);
    await chmod(script, 0o755);
    for (const hook of ["post-index-change", "post-checkout", "reference-transaction"])
      await symlink(script, at(`.git/hooks/${hook}`));
    for (const key of ["core.fsmonitor", "filter.evil.clean", "diff.evil.command", "core.sshCommand"])
      fixture.git(["config", key, script]);
    const before = await gitFolderPrint();
    const checkout = await fixture.open();
    await writeFile(at("src/a.ts"), "export const a = 10;\n");
    await checkout.workingChanges();
    await checkout.recentCommits(10);
    await checkout.files();
    await checkout.close();
    expect(await gitFolderPrint()).toBe(before);
    await expect(readFile(witness)).rejects.toThrow();
  });

  it("reads a shallow history as far as it goes", async () => {
    const checkout = await fixture.open();
    expect((await checkout.recentCommits(10)).map(({ subject }) => subject)).toEqual(["second"]);
  });

  it("works in a linked worktree", async () => {
    const root = join(fixture.folder, "linked");
    fixture.git(["worktree", "add", "--quiet", "--detach", root]);
    const checkout = await fixture.open(root);
    await writeFile(join(root, "src/a.ts"), "export const a = 11;\n");
    expect((await checkout.workingChanges()).files).toHaveLength(1);
  });

  it("shares the files with its children", async () => {
    const parent = await fixture.open();
    await writeFile(at("parent.txt"), "1\n");
    const child = await fixture.open();
    await writeFile(at("child.txt"), "2\n");
    expect((await child.workingChanges()).files.map(({ path }) => path)).toEqual(["child.txt"]);
    await child.close();
    expect((await parent.workingChanges()).files.map(({ path }) => path)).toEqual([
      "child.txt",
      "parent.txt",
    ]);
  });

  it("leaves the files alone where a patch was to be restored", async () => {
    await writeFile(at("src/a.ts"), "export const a = 'mine';\n");
    const checkout = await fixture.open();
    expect(await checkout.restore("garbage")).toEqual({ ok: true, value: null });
    expect(await readFile(at("src/a.ts"), "utf8")).toBe("export const a = 'mine';\n");
  });
});

describe("what is no checkout of the repository", () => {
  const refusal = async (root: string) => {
    const opened = await fixture.provider(root).open(fixture.source(), AbortSignal.timeout(30_000));
    if (opened.ok) throw new Error("Was not refused.");
    expect(await fixture.leftOvers()).toEqual([]);
    return opened.refusal;
  };

  it("is an empty folder, also inside of another checkout", async () => {
    await mkdir(at("inner"));
    expect(await refusal(at("inner"))).toEqual({
      reason: "checkout_failed",
      detail:
        'This job has no checkout of octo/fixture to work on. Add "uses: actions/checkout@v7" before this step.',
    });
  });

  it("is a repository without a commit", async () => {
    execFileSync("git", ["init", "--quiet", at("inner")]);
    expect((await refusal(at("inner"))).detail).toContain("has no checkout of octo/fixture");
  });

  it.each(["https://x:secret@github.com/octo/other.git", "git@github.com:octo/other.git"])(
    "is one of another repository: %s",
    async (origin) => {
      fixture.git(["remote", "set-url", "origin", origin]);
      expect((await refusal(fixture.root)).detail).toBe(
        "The checkout is one of octo/other, not of octo/fixture. " +
          'Add "uses: actions/checkout@v7" before this step.',
      );
    },
  );

  it.each([
    "git@github.com:octo/fixture.git",
    "https://github.com/Octo/Fixture/",
    "ssh://git@h/octo/fixture",
  ])("is not one of the same repository: %s", async (origin) => {
    fixture.git(["remote", "set-url", "origin", origin]);
    await (await fixture.open()).close();
  });
});

describe("the processes of git", () => {
  it("are few: each takes several milliseconds of every run", async () => {
    const { path, started } = await countedGit(fixture.folder);
    const provider = fixture.provider(fixture.root, undefined, path);
    const opened = await provider.open(fixture.source(), AbortSignal.timeout(30_000));
    if (!opened.ok) throw new Error(opened.refusal.detail);
    const toOpen = ["config", "ls-files", "ls-tree", "read-tree", "rev-parse", "update-index", "write-tree"];
    expect(await started()).toEqual(toOpen);
    expect((await opened.value.workingChanges()).files).toEqual([]);
    const unchanged = ["diff-index", "diff-index", "ls-files", "read-tree", "read-tree", "update-index"];
    expect(await started()).toEqual(unchanged);
    await writeFile(at("src/a.ts"), "changed\n");
    expect((await opened.value.workingChanges()).files).toHaveLength(1);
    expect(await started()).toEqual([...unchanged, "update-index"].sort());
    await opened.value.close();
  });
});
