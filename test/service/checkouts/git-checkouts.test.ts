import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CheckoutFixture } from "./checkout-fixture.ts";
import { countedGit } from "./counted-git.ts";
import { textQuery } from "./text-query.ts";

const mergeOfPullRequest = { event: "pull_request", baseRef: "main", ref: "refs/pull/7/merge" };

let fixture: CheckoutFixture;
beforeEach(async () => {
  fixture = await CheckoutFixture.make();
});
afterEach(() => fixture.close());

/** main: one → two → three, each a commit of one day. */
function threeCommits(): [string, string, string] {
  const { repository } = fixture;
  const one = repository.commit({ files: { a: "1\n", b: "1\n" }, subject: "one", day: 0 });
  const two = repository.commit({ files: { a: "2\n", b: "1\n" }, parents: [one], subject: "two", day: 1 });
  const files = { a: "3\n", b: "1\n", "dir/c": "TODO: c\n" };
  return [one, two, repository.commit({ files, parents: [two], subject: "three", day: 2 })];
}

describe("open", () => {
  it("checks out the commit of the run, not the tip of the branch", async () => {
    const [, two] = threeCommits();
    const checkout = await fixture.open(two);
    expect(checkout.headSha).toBe(two);
    expect(await readFile(join(checkout.root, "a"), "utf8")).toBe("2\n");
    await expect(stat(join(checkout.root, "dir"))).rejects.toThrow("ENOENT");
  });

  it("gives two attempts of one run folders of their own", async () => {
    const [, , three] = threeCommits();
    const first = await fixture.open(three);
    const second = await fixture.open(three);
    await first.close();
    expect(await second.files()).toEqual(["a", "b", "dir/c"]);
    expect(await fixture.leftOvers()).toHaveLength(1);
  });

  it("clones a repository that names its objects by SHA-256", async () => {
    fixture.repository.git(["init", "--bare", "--object-format=sha256", join(fixture.folder, "wide.git")]);
    const env = { GIT_DIR: join(fixture.folder, "wide.git") };
    const tree = fixture.repository.git(["write-tree"], { env });
    const person = {
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a",
    };
    const sha = fixture.repository.git(["commit-tree", tree], { env: { ...env, ...person } });
    fixture.repository.git(["update-ref", "refs/heads/main", sha], { env });
    const checkout = await fixture.open(sha, { source: { cloneUrl: `${fixture.server.url}/wide.git` } });
    expect(sha).toHaveLength(64);
    expect(await checkout.files()).toEqual([]);
  });

  it("starts few processes of git, and asks once for the files of a commit", async () => {
    const [, , three] = threeCommits();
    const counted = await countedGit(fixture.folder);
    const environment = { ...process.env, PATH: `${dirname(counted.path)}:${process.env.PATH}` };
    const checkout = await fixture.open(three, { environment });
    expect(await counted.started()).toEqual(["cat-file", "checkout", "fetch", "ls-tree"]);
    expect(await checkout.trustedPaths(() => true)).toEqual(["a", "b", "dir/c"]);
    expect(await checkout.trustedText("a")).toBe("3\n");
    expect(await counted.started()).toEqual(["cat-file"]);
    expect(await checkout.keepTree(null)).toBeNull();
    expect(await counted.started()).toEqual(["diff-files", "ls-files", "read-tree"]);
    await writeFile(join(checkout.root, "a"), "4\n");
    expect((await checkout.workingChanges()).files).toHaveLength(1);
    expect(await counted.started()).toEqual(["diff-index", "ls-files", "read-tree", "update-index"]);
  });

  it("keeps git's own folder out of the tree", async () => {
    const [, , three] = threeCommits();
    const checkout = await fixture.open(three);
    await expect(stat(join(checkout.root, ".git"))).rejects.toThrow("ENOENT");
  });
});

describe("history", () => {
  it("lists commits newest first, up to the limit", async () => {
    const [, two, three] = threeCommits();
    const checkout = await fixture.open(three);
    const commits = await checkout.recentCommits(2);
    expect(commits).toEqual([
      { sha: three, author: "Ada Lovelace", at: Date.UTC(2024, 0, 3), subject: "three" },
      { sha: two, author: "Ada Lovelace", at: Date.UTC(2024, 0, 2), subject: "two" },
    ]);
  });
});

describe("findText", () => {
  it("finds texts with their places", async () => {
    const [, , three] = threeCommits();
    const checkout = await fixture.open(three);
    expect(await checkout.findText(textQuery("c|TODO|3", { isRegex: true }))).toEqual({
      matches: [
        { path: "a", line: 1, column: 1, text: "3" },
        { path: "dir/c", line: 1, column: 1, text: "TODO: c" },
      ],
      complete: true,
    });
  });

  it("searches by whole words, case and folder, and takes no text for an option", async () => {
    const sha = fixture.repository.commit({ files: { "x/a": "todoist\ntodo\n", y: "TODO\n--all\n" } });
    const checkout = await fixture.open(sha);
    const find = async (query: Partial<Parameters<typeof checkout.findText>[0]>) => {
      const found = await checkout.findText(
        textQuery("todo", { wholeWord: true, ignoreCase: true, ...query }),
      );
      return found.matches.map((match) => `${match.path}:${match.line}`);
    };
    expect(await find({})).toEqual(["x/a:2", "y:1"]);
    expect(await find({ ignoreCase: false })).toEqual(["x/a:2"]);
    expect(await find({ wholeWord: false, path: "x" })).toEqual(["x/a:1", "x/a:2"]);
    expect(await find({ pattern: "--all", wholeWord: false })).toEqual(["y:2"]);
    expect(await find({ pattern: "none" })).toEqual([]);
  });
});

describe("large files", () => {
  it("are left out of a search, and do not hide the others", async () => {
    const large = Buffer.alloc(5_000_001, "TODO\n");
    const sha = fixture.repository.commit({
      files: { ":(glob)*": large, a: "TODO\n", "dir/large": large, "dir/b": "TODO\n" },
    });
    const checkout = await fixture.open(sha);
    const find = async (path: string) => {
      const found = await checkout.findText(textQuery("TODO", { wholeWord: true, path }));
      return found.matches.map((match) => match.path);
    };
    expect(await find("")).toEqual(["a", "dir/b"]);
    expect(await find("dir")).toEqual(["dir/b"]);
  });
});

describe("changesSinceBase", () => {
  it("compares a pull request's merge commit with its first parent", async () => {
    const { repository } = fixture;
    const root = repository.commit({ files: { a: "1\n2\n", gone: "x\n", old: "same\nlines\nhere\n" } });
    const base = repository.commit({
      files: { a: "1\n2\n", gone: "x\n", old: "same\nlines\nhere\n", "base-only": "\n" },
      parents: [root],
    });
    const changed = { a: "1\nnew\n3\n", new: "same\nlines\nhere\n", bin: Buffer.from([0, 1, 2]) };
    const head = repository.commit({ files: changed, parents: [root] });
    const merge = repository.commit({ files: { ...changed, "base-only": "\n" }, parents: [base, head] });
    const checkout = await fixture.open(merge, { source: mergeOfPullRequest });
    const changes = await checkout.changesSinceBase();
    expect(changes?.baseSha).toBe(base);
    expect(changes?.files).toEqual([
      { path: "a", status: "modified", additions: 2, deletions: 1 },
      { path: "bin", status: "added", additions: 0, deletions: 0 },
      { path: "gone", status: "deleted", additions: 0, deletions: 1 },
      { path: "new", status: "renamed", additions: 0, deletions: 0 },
    ]);
  });

  it("knows no base for a push, for a commit that is no merge, or beyond the shallow history", async () => {
    const [one, two, three] = threeCommits();
    const merge = fixture.repository.commit({ files: { a: "4" }, parents: [three, one] });
    const base = async (sha: string, options: Parameters<CheckoutFixture["open"]>[1]) =>
      (await fixture.open(sha, options)).changesSinceBase();
    expect(await base(merge, {})).toBeNull();
    expect(await base(two, { source: mergeOfPullRequest })).toBeNull();
    expect(await base(merge, { source: { ...mergeOfPullRequest, ref: "refs/heads/topic" } })).toBeNull();
    expect(await base(merge, { source: mergeOfPullRequest, limits: { historyDepth: 1 } })).toBeNull();
    expect(await base(merge, { source: mergeOfPullRequest })).not.toBeNull();
  });
});

describe("close and sweep", () => {
  it("removes the folder, and may be repeated", async () => {
    const [, , three] = threeCommits();
    const checkout = await fixture.open(three);
    await writeFile(join(checkout.root, "read-only"), "x", { mode: 0o400 });
    await mkdir(join(checkout.root, "locked"), { mode: 0o500 });
    await checkout.close();
    await checkout.close();
    expect(await fixture.leftOvers()).toEqual([]);
    await expect(checkout.recentCommits(1)).rejects.toThrow("closed");
  });

  it("sweeps what earlier runs left, and nothing else", async () => {
    const [, , three] = threeCommits();
    await fixture.open(three);
    await mkdir(join(fixture.folder, "runs", "precious"));
    await fixture.provider().sweep();
    expect(await fixture.leftOvers()).toEqual(["precious"]);
  });

  it("ends the calls of git that are under way when the run is aborted", async () => {
    const [, , three] = threeCommits();
    const controller = new AbortController();
    const opened = await fixture.provider().open(fixture.source(three), controller.signal);
    if (!opened.ok) throw new Error(opened.refusal.detail);
    const question = opened.value.recentCommits(1);
    controller.abort(new Error("stop"));
    await expect(question).rejects.toThrow("stop");
    await opened.value.close();
    expect(await fixture.leftOvers()).toEqual([]);
  });
});
