import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { matchesGlob } from "../../../../src/base/glob.ts";
import type { Checkout } from "../../../../src/service/core/ports/checkout.ts";
import { gitChanges } from "../../../../src/service/executor/tools/git-changes.ts";
import { gitLog } from "../../../../src/service/executor/tools/git-log.ts";
import { listFiles } from "../../../../src/service/executor/tools/list-files.ts";
import { readFile } from "../../../../src/service/executor/tools/read-file.ts";
import { search } from "../../../../src/service/executor/tools/search.ts";
import { folderCheckout } from "./folder-checkout.ts";

const signal = new AbortController().signal;
let opened: Checkout[] = [];
afterEach(async () => {
  for (const checkout of opened) await checkout.close();
  opened = [];
});

async function make(
  files: Record<string, string | Buffer>,
  parts: Partial<Checkout> = {},
): Promise<Checkout> {
  const checkout = { ...(await folderCheckout(files)), ...parts };
  opened.push(checkout);
  return checkout;
}

describe("read_file", () => {
  it("reads a file whole, without a byte order mark, or by lines", async () => {
    const checkout = await make({ a: "\ufeffone\ntwo\nthree\n" });
    const read = async (input: unknown) => (await readFile.run(input, { checkout, signal })).text;
    expect(await read({ path: "a" })).toBe("one\ntwo\nthree\n");
    expect(await read({ path: "a", start_line: 2, end_line: 2 })).toBe("two\n[lines 2 to 2 of 3]");
    expect(await read({ path: "a", start_line: 3, end_line: 99 })).toBe("three\n[lines 3 to 3 of 3]");
    await expect(read({ path: "a", start_line: 4 })).rejects.toThrow(
      "The file a has 3 lines, start_line is 4.",
    );
  });

  it("says that a file is empty", async () => {
    const checkout = await make({ a: "" });
    expect((await readFile.run({ path: "a" }, { checkout, signal })).text).toBe("[empty file]");
  });

  it("shows bytes that are no UTF-8 as replacement characters", async () => {
    const checkout = await make({ a: Buffer.from([0x61, 0xff, 0x62]) });
    expect((await readFile.run({ path: "a" }, { checkout, signal })).text).toBe("a\ufffdb");
  });

  it.each([
    [{ path: "binary" }, "The file binary is binary (3 bytes)."],
    [{ path: "large" }, "The file large has 1048577 bytes, at most 1048576 are read. Use search instead."],
    [{ path: "dir" }, "dir is not a file. Use list_files for a folder."],
    [{ path: "zero" }, "leads out of the repository"],
    [{ path: "" }, "The input of read_file is wrong: path"],
    [{ path: "dir/a", start_line: 0 }, "The input of read_file is wrong: start_line"],
    [{}, "The input of read_file is wrong: path"],
    ["dir/a", "The input of read_file is wrong: input"],
  ])("refuses %j", async (input, words) => {
    const files = { binary: Buffer.from([1, 0, 2]), large: "x".repeat(1024 * 1024 + 1), "dir/a": "a" };
    const checkout = await make(files);
    await symlink("/dev/zero", join(checkout.root, "zero"));
    await expect(readFile.run(input, { checkout, signal })).rejects.toThrow(words);
  });
});

describe.runIf(process.platform === "linux")("read_file while a folder is swapped for a link", () => {
  it("never reads a file outside of the checkout", async () => {
    const outside = await mkdtemp(join(tmpdir(), "outside-test-"));
    await writeFile(join(outside, "file"), "SECRET");
    const checkout = await make({ "folder/file": "inside" });
    const swap = `chdir $ARGV[0]; while (1) { rename "folder", "aside"; symlink $ARGV[1], "folder"; unlink "folder"; rename "aside", "folder"; }`;
    const swapper = spawn("perl", ["-e", swap, checkout.root, outside], { stdio: "ignore" });
    try {
      const texts = new Map<string, number>();
      for (let tries = 0; tries < 3_000; tries += 1) {
        const text = await readFile.run({ path: "folder/file" }, { checkout, signal }).then(
          (read) => read.text,
          () => "refused",
        );
        texts.set(text, (texts.get(text) ?? 0) + 1);
      }
      expect([...texts.keys()].toSorted()).toEqual(["inside", "refused"]);
    } finally {
      swapper.kill("SIGKILL");
      await once(swapper, "exit");
      await rm(outside, { recursive: true });
    }
  });
});

describe("list_files", () => {
  const files = {
    "README.md": "",
    "src/a.ts": "",
    "src/deep/b.ts": "",
    "src/deep/c.js": "",
    "odd\nname": "",
  };

  it.each([
    [{}, 'README.md\n"odd\\nname"\nsrc/a.ts\nsrc/deep/b.ts\nsrc/deep/c.js'],
    [{ limit: 2 }, 'README.md\n"odd\\nname"\n[2 of 5 files]'],
    [{ folder: "src/deep" }, "src/deep/b.ts\nsrc/deep/c.js"],
    [{ folder: "./src/", pattern: "*.ts" }, "src/a.ts\nsrc/deep/b.ts"],
    [{ pattern: "src/*.ts" }, "src/a.ts"],
    [{ pattern: "**/b.*" }, "src/deep/b.ts"],
    [{ pattern: "*.py" }, "[no file matches]"],
  ])("answers %j", async (input, text) => {
    const checkout = await make(files);
    expect((await listFiles.run(input, { checkout, signal })).text).toBe(text);
  });

  it("refuses a folder that climbs", async () => {
    const checkout = await make(files);
    await expect(listFiles.run({ folder: "../x" }, { checkout, signal })).rejects.toThrow(
      'must not hold ".."',
    );
  });
});

describe("matchesGlob", () => {
  it.each([
    ["a/b/c.ts", "**", true],
    ["a/b/c.ts", "a/**/c.ts", true],
    ["a/c.ts", "a/**/c.ts", true],
    ["a/b/c.ts", "a/*.ts", false],
    ["a/b/c.ts", "*/?/c.*", true],
    ["a.ts", "a.t?", true],
    ["a.ts", "a.ts?", false],
    ["a(b)+.ts", "a(b)+.ts", true],
    ["", "*", true],
  ])("%j against %j: %s", (path, pattern, expected) => {
    expect(matchesGlob(path, pattern)).toBe(expected);
  });

  it("is not slowed down by stars upon stars", () => {
    expect(matchesGlob("a".repeat(4000), `${"*a".repeat(120)}b`)).toBe(false);
    expect(matchesGlob("a/".repeat(2000), `${"**/a/".repeat(50)}b`)).toBe(false);
  });
});

describe("search", () => {
  const matches = [
    { path: "src/a.ts", line: 1, text: "  // TODO one" },
    { path: "node_modules/x/b.ts", line: 2, text: "TODO two" },
    { path: "odd\nname", line: 3, text: `TODO ${"x".repeat(999)}` },
  ];

  it("lists places and texts, hand-written files only unless told otherwise", async () => {
    const checkout = await make({}, { findText: async () => ({ matches, complete: true }) });
    const run = async (input: object) =>
      (await search.run({ texts: ["TODO"], ...input }, { checkout, signal })).text;
    expect(await run({ pattern: "*.ts" })).toBe("src/a.ts:1: // TODO one");
    expect(await run({ pattern: "*.ts", include_foreign: true })).toBe(
      "src/a.ts:1: // TODO one\nnode_modules/x/b.ts:2: TODO two",
    );
    expect(await run({ limit: 1 })).toBe("src/a.ts:1: // TODO one\n[1 of 2 lines]");
    const odd = await run({});
    expect(odd).toContain('"odd\\nname":3: TODO xxx');
    expect(odd.length).toBeLessThan(400);
    expect(await run({ pattern: "*.py" })).toBe("[nothing found]");
  });

  it("says when there was too much", async () => {
    const checkout = await make({}, { findText: async () => ({ matches, complete: false }) });
    const { text } = await search.run({ texts: ["TODO"] }, { checkout, signal });
    expect(text).toContain("[2 of at least 2 lines]");
  });

  it.each([[[]], [[""]], [["a\nb"]], [["a\0"]], [Array(11).fill("a")], [["a".repeat(201)]]])(
    "refuses the texts %j",
    async (texts) => {
      const checkout = await make({});
      await expect(search.run({ texts }, { checkout, signal })).rejects.toThrow(
        "The input of search is wrong",
      );
    },
  );
});

describe("git_log and git_changes", () => {
  it("list commits by day, and files by what became of them", async () => {
    const commit = { sha: "a".repeat(40), author: "Ada", at: Date.UTC(2024, 1, 29, 23, 59), subject: "leap" };
    const undated = { ...commit, at: Number.MAX_VALUE };
    const files = [{ path: "a b", status: "added", additions: 3, deletions: 0 } as const];
    const checkout = await make(
      {},
      {
        recentCommits: async () => [commit, undated],
        changesSinceBase: async () => ({ baseSha: "b0", files }),
      },
    );
    const log = await gitLog.run({}, { checkout, signal });
    expect(log.text).toBe("aaaaaaaaaaaa 2024-02-29 Ada: leap\naaaaaaaaaaaa unknown Ada: leap");
    const changes = await gitChanges.run({}, { checkout, signal });
    expect(changes.text).toBe("base b0, 1 files\nadded +3 -0 a b");
  });

  it("say when there is nothing", async () => {
    const checkout = await make({});
    expect((await gitLog.run({}, { checkout, signal })).text).toBe("[no commits in reach]");
    expect((await gitChanges.run({}, { checkout, signal })).text).toContain("[no base to compare with");
  });
});
