import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import { gitBlame } from "../../../../src/service/executor/tools/git-blame.ts";
import { gitDiff } from "../../../../src/service/executor/tools/git-diff.ts";
import { gitLog } from "../../../../src/service/executor/tools/git-log.ts";
import { gitShow } from "../../../../src/service/executor/tools/git-show.ts";
import { readFile } from "../../../../src/service/executor/tools/read-file.ts";
import { search } from "../../../../src/service/executor/tools/search.ts";
import type { Tool } from "../../../../src/service/executor/tools/tool.ts";
import { CheckoutFixture } from "../../checkouts/checkout-fixture.ts";

const signal = new AbortController().signal;
let fixture: CheckoutFixture;
let checkout: Checkout;
let shas: Record<"base" | "one" | "two", string>;

beforeAll(async () => {
  fixture = await CheckoutFixture.make();
  const { repository } = fixture;
  const files = {
    "a.ts": "one\ntwo\nthree\n",
    "dir/old.ts": "same\n".repeat(20),
    "image.bin": "\0\x01",
    "é.txt": "x\n",
  };
  const base = repository.commit({ files, subject: "base" });
  const changed = { ...files, "a.ts": "one\nTWO\nthree\n", "é.txt": "y\n" };
  const one = repository.commit({ files: changed, parents: [base], subject: "change two", day: 1 });
  const { "dir/old.ts": moved, ...rest } = changed;
  const next = { ...rest, "dir/new.ts": moved, "image.bin": "\0\x02" };
  const two = repository.commit({ files: next, parents: [one], subject: "move", author: "Eve", day: 2 });
  const merge = repository.commit({ files: next, parents: [base, two], subject: "merge", day: 3 });
  shas = { base, one, two };
  checkout = await fixture.open(merge, {
    source: { event: "pull_request", baseRef: "main", ref: "refs/pull/7/merge" },
  });
});
afterAll(() => fixture.close());

const run = async (tool: Tool<unknown>, input: unknown) => (await tool.run(input, { checkout, signal })).text;

describe("git_diff", () => {
  it("shows what the pull request changes, removed lines too, as the default of a tree that was not changed", async () => {
    const text = await run(gitDiff, {});
    expect(text).toMatch(/^\[[0-9a-f]{12} against its base [0-9a-f]{12}\]\ndiff --git a\/a\.ts b\/a\.ts\n/);
    expect(text).toContain("\n one\n-two\n+TWO\n three\n");
    expect(text).toContain("rename from dir/old.ts\nrename to dir/new.ts");
    expect(text).toContain("Binary files a/image.bin and b/image.bin differ");
    expect(await run(gitDiff, { of: "base" })).toBe(text);
    expect(await run(gitDiff, { of: "working_tree" })).toMatch(
      /^\[working tree against [0-9a-f]{12}, .*: no difference\]$/,
    );
  });

  it("shows parts: paths, pages, and what lies between two commits", async () => {
    const some = await run(gitDiff, { paths: ["./dir", "a.ts"], limit: 3, offset: "5" });
    expect(some).toContain("\n@@ -1,3 +1,3 @@\n one\n-two\n[lines 5 to 7 of ");
    expect(some).toMatch(/; next page: offset 8\]$/);
    expect(await run(gitDiff, { paths: "image.bin" })).not.toContain("a.ts");
    const between = await run(gitDiff, { from: shas.one.slice(0, 10), to: shas.two });
    expect(between).toContain("rename to dir/new.ts");
    expect(between).not.toContain("TWO");
    expect(await run(gitDiff, { to: shas.one })).toContain("+TWO");
    expect(await run(gitDiff, { from: "base" })).toContain("+TWO");
  });

  it("shows what was changed in the working tree, new files too, and disturbs no other tool", async () => {
    await writeFile(join(checkout.root, "a.ts"), "one\nTWO\nIII\n");
    await writeFile(join(checkout.root, "new.ts"), "new\n");
    const calls = [
      ...Array.from({ length: 4 }, () => run(gitDiff, {})),
      ...Array.from({ length: 4 }, () => run(search, { pattern: "II|new" })),
    ];
    const texts = await Promise.all(calls);
    for (const text of texts.slice(0, 4)) {
      expect(text).toMatch(/^\[working tree against /);
      expect(text).toContain("-three\n+III\n");
      expect(text).toContain("new file mode 100644");
      expect(text).toContain("+new");
    }
    for (const text of texts.slice(4)) expect(text).toBe("a.ts:3: III\nnew.ts:1: new");
    expect(await run(gitDiff, { paths: ["new.ts"] })).not.toContain("III");
    expect((await checkout.workingChanges()).files.map(({ path }) => path)).toEqual(["a.ts", "new.ts"]);
    expect(await run(gitDiff, { of: "base" })).toContain("+TWO");
  });

  it("stays below 30 KB", async () => {
    await writeFile(join(checkout.root, "wide.ts"), `${"y".repeat(5_000)}\n${"many words\n".repeat(9_000)}`);
    const text = await run(gitDiff, { of: "working_tree", paths: ["wide.ts"], limit: 3_000 });
    expect(Buffer.byteLength(text)).toBeLessThan(30_500);
    expect(text).toContain("[cut: the line has 5001 characters]");
    await rm(join(checkout.root, "wide.ts"));
  });

  it.each(["main", "--output=x", "HEAD..base", "HEAD:a.ts", ":/move", "HEAD~9", "deadbeef"])(
    "says that there is no commit %s",
    async (from) => {
      await expect(run(gitDiff, { from })).rejects.toThrow(
        `There is no commit ${JSON.stringify(from)} in reach`,
      );
    },
  );
});

describe("git_show, git_log and git_blame", () => {
  it("show a commit and a file as it was", async () => {
    const text = await run(gitShow, { commit: shas.one });
    expect(text).toMatch(
      new RegExp(`^\\[commit ${shas.one}, \\d{4}-\\d\\d-\\d\\d, .*\\]\nchange two\n\ndiff --git`),
    );
    expect(text).toContain("-two\n+TWO\n");
    expect(await run(gitShow, { commit: shas.base, path: "/a.ts" })).toBe(
      `[a.ts at ${shas.base.slice(0, 12)}]\n1\tone\n2\ttwo\n3\tthree`,
    );
    await expect(run(gitShow, { commit: shas.base, path: "dir" })).rejects.toThrow(
      "There is no text file dir at",
    );
    await expect(run(gitShow, { path: "image.bin" })).rejects.toThrow("is binary (2 bytes)");
  });

  it("list the commits of a range and of paths", async () => {
    const range = await run(gitLog, { from: "base" });
    expect(range).toContain("Eve: move");
    expect(range).not.toContain(": base");
    const ofPath = await run(gitLog, { paths: ["é.txt"], to: shas.two });
    expect(ofPath.split("\n").map((line) => line.split(": ")[1])).toEqual(["change two", "base"]);
    expect(await run(gitLog, { offset: 2, limit: 1, to: shas.two })).toContain(": change two");
  });

  it("say which commit a line comes from", async () => {
    const text = await run(gitBlame, { path: "./a.ts", offset: 1, limit: 3 });
    const lines = text.split("\n");
    expect(lines[1]).toMatch(new RegExp(`^${shas.one.slice(0, 10)} \\d{4}-\\d\\d-\\d\\d .*  2\tTWO$`));
    expect(lines[2]).toBe("not committed  3\tIII");
    await expect(run(gitBlame, { path: "dir" })).rejects.toThrow("Git does not know the file");
    await expect(run(gitBlame, { path: "a.ts", offset: 99 })).rejects.toThrow("The file has only 3 lines.");
    await expect(run(gitBlame, { path: "../x" })).rejects.toThrow('must not hold ".."');
  });

  it("say where a shallow history ends, and do not show all files as new", async () => {
    const shallow = await fixture.open(shas.two, { limits: { historyDepth: 1 } });
    const show = (await gitShow.run({}, { checkout: shallow, signal })).text;
    expect(show).toContain("whose parent is not in this history]\nmove");
    expect(show).not.toContain("diff --git");
    const blame = (await gitBlame.run({ path: "a.ts" }, { checkout: shallow, signal })).text;
    expect(blame).toMatch(/^\^[0-9a-f]{10} /);
  });
});

describe("a repository that configures git", () => {
  it("has none of its programs executed by a tool of the history", async () => {
    const outside = await mkdtemp(join(tmpdir(), "history-test-"));
    const marker = join(outside, "executed");
    const files = { ".gitattributes": "* diff=evil filter=evil\n", "a.ts": "1\n" };
    const first = fixture.repository.commit({ files });
    const sha = fixture.repository.commit({ files: { ...files, "a.ts": "2\n" }, parents: [first] });
    const opened = await fixture.open(sha);
    const config = ["diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "diff.external"];
    for (const name of config)
      execFileSync("git", ["config", "--file", join(opened.root, ".gitconfig"), name, `touch ${marker}`]);
    await writeFile(join(opened.root, "a.ts"), "3\n");
    for (const [tool, input] of [
      [gitDiff, {}],
      [gitShow, {}],
      [gitBlame, { path: "a.ts" }],
      [gitLog, { paths: ["a.ts"] }],
      [readFile, { path: "a.ts" }],
    ] as const) {
      await tool.run(input, { checkout: opened, signal });
    }
    expect(() => execFileSync("cat", [marker], { stdio: "pipe" })).toThrow();
    await rm(outside, { recursive: true });
  });
});
