import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CommitFields, TestRepository } from "../../fakes/code-host/git-repository.ts";

describe("a test's repository", () => {
  let folder: string;
  let repository: TestRepository;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "git-repository-"));
    repository = new TestRepository(folder, "project.git");
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it("holds the commit that git itself would make of the same files", () => {
    const files: CommitFields["files"] = {
      "a.txt": "between a and a/\n",
      "a/b": "",
      "a-b/ü": Buffer.from([0, 255]),
      "a/link": { link: "../a.txt" },
      "a/module": { submodule: "1".repeat(40) },
      a0: "after a/\n",
    };
    const parent = repository.commit({ files: {}, author: "Grace Hopper" });
    const made = repository.commit({ files, parents: [parent], subject: "second\n\nwith a body\n", day: 2 });

    const env = { GIT_INDEX_FILE: join(repository.path, "by-git") };
    const blob = (input: string | Buffer) => repository.git(["hash-object", "-w", "--stdin"], { input });
    const entries = [
      `100644 ${blob("between a and a/\n")}\ta.txt`,
      `100644 ${blob("")}\ta/b`,
      `100644 ${blob(Buffer.from([0, 255]))}\ta-b/ü`,
      `100644 ${blob("after a/\n")}\ta0`,
      `120000 ${blob("../a.txt")}\ta/link`,
      `160000 ${"1".repeat(40)}\ta/module`,
    ];
    repository.git(["update-index", "-z", "--index-info"], { env, input: `${entries.join("\0")}\0` });
    const tree = repository.git(["write-tree"], { env });
    const date = "1704240000 +0000";
    const person = { NAME: "Ada Lovelace", EMAIL: "author@example.com", DATE: date };
    const people = Object.entries(person).flatMap(([field, value]) => [
      [`GIT_AUTHOR_${field}`, value],
      [`GIT_COMMITTER_${field}`, value],
    ]);
    const byGit = repository.git(["commit-tree", tree, "-p", parent], {
      env: Object.fromEntries(people),
      input: "second\n\nwith a body\n",
    });
    expect(made).toBe(byGit);
    expect(repository.git(["rev-parse", "HEAD"])).toBe(made);
  });

  it("is sound as git sees it, and empty at first", () => {
    expect(repository.git(["for-each-ref"])).toBe("");
    repository.commit({ files: { "src/index.ts": "export {};\n" } });
    expect(repository.git(["fsck", "--strict", "--no-dangling"])).toBe("");
    expect(repository.git(["ls-tree", "-r", "--name-only", "main"])).toBe("src/index.ts");
  });

  it("writes a tree that git refuses to make", () => {
    const blob = repository.blob("evil\n");
    const tree = repository.tree([{ mode: "100644", name: ".git", sha: blob }]);
    expect(repository.git(["ls-tree", tree])).toBe(`100644 blob ${blob}\t.git`);
    expect(() => repository.git(["fsck", "--strict"])).toThrow("hasDotgit");
  });

  it("points refs to objects, and to nothing else", () => {
    const first = repository.commit({ files: {} });
    const second = repository.commit({ files: { a: "" }, parents: [first] });
    repository.updateRef("refs/pull/7/head", first);
    repository.updateRef("refs/heads/main", first);
    expect(repository.git(["rev-parse", "refs/pull/7/head", "main"])).toBe(`${first}\n${first}`);
    repository.updateRef("refs/heads/main", second);
    expect(repository.git(["rev-parse", "main"])).toBe(second);
    expect(() => repository.updateRef("refs/heads/main", "refs/heads/other")).toThrow("not the name");
  });
});
