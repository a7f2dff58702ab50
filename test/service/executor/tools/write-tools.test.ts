import { execFileSync } from "node:child_process";
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  writeFile as put,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  truncate,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import { atPlace, openFile } from "../../../../src/service/executor/tools/checkout-place.ts";
import { deleteFile } from "../../../../src/service/executor/tools/delete-file.ts";
import { editFile } from "../../../../src/service/executor/tools/edit-file.ts";
import { renameFile } from "../../../../src/service/executor/tools/rename-file.ts";
import { type Tool, ToolError } from "../../../../src/service/executor/tools/tool.ts";
import { writeFile } from "../../../../src/service/executor/tools/write-file.ts";
import { folderCheckout } from "./folder-checkout.ts";

const signal = new AbortController().signal;
let checkout: Checkout;
let outside: string;
beforeEach(async () => {
  checkout = await folderCheckout({ "dir/a": "one\n", b: "two\n" });
  outside = await realpath(await mkdtemp(join(tmpdir(), "outside-")));
  await put(join(outside, "a"), "secret\n");
});
afterEach(async () => {
  await checkout.close();
  await rm(outside, { recursive: true });
});

const at = (path: string) => join(checkout.root, path);
const text = (path: string) => readFile(at(path), "utf8");
const run = async (tool: Tool<unknown>, input: unknown) => (await tool.run(input, { checkout, signal })).text;

async function refusalOf(tool: Tool<unknown>, input: unknown): Promise<string> {
  const error: unknown = await run(tool, input).catch((cause: unknown) => cause);
  if (!(error instanceof ToolError)) throw new Error(`Was not refused, but: ${String(error)}`);
  expect(error.message).not.toContain(outside);
  expect(error.message).not.toContain(checkout.root);
  return `${error.code}: ${error.message}`;
}

describe("write_file", () => {
  const write = (path: string, content: string) => run(writeFile, { path, content });

  it("creates a file and its folders, and replaces one", async () => {
    expect(await write("new/deep/er.txt", "1\n2\n")).toBe("Created new/deep/er.txt: 2 lines, 4 bytes.");
    expect(await write("./dir//a", "€")).toBe("Replaced dir/a: 1 line, 3 bytes.");
    expect(await write("empty", "")).toBe("Created empty: 0 lines, 0 bytes.");
    expect(await Promise.all([text("new/deep/er.txt"), text("dir/a"), text("empty")])).toEqual([
      "1\n2\n",
      "€",
      "",
    ]);
  });

  it("keeps the line ends of a file with CRLF, unless it is given some", async () => {
    await put(at("crlf"), "a\r\nb\r\n");
    expect(await write("crlf", "1\n2\n3")).toBe(
      "Replaced crlf: 3 lines, 7 bytes. Its line ends are CRLF, as before.",
    );
    expect(await text("crlf")).toBe("1\r\n2\r\n3");
    await write("crlf", "a\r\nb\n");
    expect(await text("crlf")).toBe("a\r\nb\n");
    await write("crlf", "c\nd\n");
    expect(await text("crlf")).toBe("c\nd\n");
  });

  it("takes any name that a file may have", async () => {
    expect(await write("odd\nname/\u202e", "x")).toBe('Created "odd\\nname/\\u202e": 1 line, 1 bytes.');
    expect(await text("odd\nname/\u202e")).toBe("x");
  });

  it("keeps the mode", async () => {
    await chmod(at("b"), 0o755);
    await write("b", "#!/bin/sh\n");
    expect((await stat(at("b"))).mode & 0o777).toBe(0o755);
  });

  it("writes at most 5 MB", async () => {
    const most = "x".repeat(5_000_000);
    expect(await write("b", most)).toContain("5000000 bytes");
    expect(await refusalOf(writeFile, { path: "b", content: `${most}x` })).toBe(
      "too_large: The content has 5000001 bytes, at most 5000000 are written.",
    );
    expect((await stat(at("b"))).size).toBe(5_000_000);
  });

  it("replaces a file that is larger than may be written", async () => {
    await truncate(at("b"), 2 ** 31);
    await write("b", "small");
    expect(await text("b")).toBe("small");
  });
});

describe("rename_file", () => {
  const move = (path: string, new_path: string) => run(renameFile, { path, new_path });

  it("moves a file with its mode, a folder and a link, and makes folders", async () => {
    await chmod(at("b"), 0o755);
    expect(await move("b", "./new/deep/c")).toBe("Renamed b to new/deep/c.");
    expect((await stat(at("new/deep/c"))).mode & 0o777).toBe(0o755);
    expect(await move("dir", "new/dir")).toBe("Renamed dir to new/dir.");
    await symlink(join(outside, "a"), at("soft"));
    await move("soft", "hard");
    expect([await text("new/deep/c"), await text("new/dir/a")]).toEqual(["two\n", "one\n"]);
    expect((await readdir(checkout.root)).toSorted()).toEqual(["hard", "new"]);
    expect(await readFile(join(outside, "a"), "utf8")).toBe("secret\n");
  });

  it.each([
    ["none", "x", "not_found: There is no file none in the repository."],
    ["b", "dir/a", "refused: There is something at dir/a already"],
    ["b", "b", "the same as the old one"],
    ["dir", "dir/x", "within the old one"],
    ["b", "../b", 'it must not hold ".."'],
    ["b", ".git/hooks/x", "git's own folder"],
    [".git/config", "x", "git's own folder"],
    ["b", "/etc/x", "it must be relative"],
    ["b", "out/a", "out is a symbolic link"],
    ["out/a", "c", "out is a symbolic link"],
  ])("refuses %s to %s", async (path, new_path, words) => {
    await symlink(outside, at("out"));
    expect(await refusalOf(renameFile, { path, new_path })).toContain(words);
    expect((await readdir(checkout.root)).toSorted()).toEqual(["b", "dir", "out"]);
    expect(await readdir(outside)).toEqual(["a"]);
  });
});

describe("every tool that changes a file", () => {
  const calls: readonly (readonly [Tool<unknown>, object])[] = [
    [writeFile, { content: "x" }],
    [editFile, { old_text: "e", new_text: "x" }],
    [deleteFile, {}],
  ];
  const everyTool = calls.map(([tool, rest]) => [tool.name, tool, rest] as const);

  describe.each(everyTool)("%s", (_name, tool, rest) => {
    const refuse = (path: string) => refusalOf(tool, { path, ...rest });

    it("says that it writes", () => expect(tool.access).toBe("write"));

    it.each([
      ["../a", "path_refused"],
      ["/etc/passwd", "path_refused"],
      [".git/config", "git's own folder"],
      [".GIT/config", "git's own folder"],
      ["dir/.Git/hooks/pre-commit", "git's own folder"],
      ["dir/", "it names a folder"],
      [".", "it names a folder"],
      ["dir", "it is a folder"],
      ["b/c", "b is a file, not a folder"],
      ["", "The input of"],
      ["x".repeat(300), "too long"],
      ["a\0b", "it holds a NUL"],
    ])("refuses %j", async (path, words) => {
      expect(await refuse(path)).toContain(words);
      expect((await readdir(checkout.root)).toSorted()).toEqual(["b", "dir"]);
    });

    it("goes through no link, neither out of the tree nor within", async () => {
      await symlink(outside, at("out"));
      await symlink("dir", at("in"));
      await symlink(".", at("dir/self"));
      expect(await refuse("out/a")).toContain("out is a symbolic link, and none is followed");
      expect(await refuse("in/a")).toContain("in is a symbolic link");
      expect(await refuse("dir/self/a")).toContain("self is a symbolic link");
      expect(await readFile(join(outside, "a"), "utf8")).toBe("secret\n");
      expect(await text("dir/a")).toBe("one\n");
    });

    it("touches no file of another name", async () => {
      await symlink(join(outside, "a"), at("soft"));
      await link(join(outside, "a"), at("hard"));
      if (tool === deleteFile) {
        expect(await run(tool, { path: "soft" })).toBe("Deleted soft.");
        expect(await run(tool, { path: "hard" })).toBe("Deleted hard.");
      } else {
        expect(await refuse("soft")).toContain("it is a symbolic link");
        expect(await refuse("hard")).toContain("(a hard link): delete it first");
      }
      expect(await readFile(join(outside, "a"), "utf8")).toBe("secret\n");
    });

    it("does not wait for a pipe", async () => {
      execFileSync("mkfifo", [at("pipe")]);
      if (tool === deleteFile) expect(await run(tool, { path: "pipe" })).toBe("Deleted pipe.");
      else expect(await refuse("pipe")).toContain("it is no regular file");
    });

    it("says that it may not", { tags: ["unprivileged"] }, async () => {
      await chmod(at("dir/a"), 0o400);
      await chmod(at("dir"), 0o500);
      expect(await refuse("dir/a")).toContain("its permissions or its folder's do not allow it");
      await chmod(at("dir"), 0o700);
    });

    it("says which file is not there", async () => {
      if (tool === writeFile) return;
      expect(await refuse("none/x")).toBe("not_found: There is no file none/x in the repository.");
    });
  });
});

describe("a place", () => {
  it("stays the folder it was when a link takes the folder's name", async () => {
    await atPlace({ tree: checkout, path: "dir/new", missingFolders: "make" }, async (place) => {
      await mkdir(at("aside"));
      execFileSync("mv", [at("dir"), at("aside/dir")]);
      await symlink(outside, at("dir"));
      const { file } = await openFile(place, "create");
      await file.writeFile("here");
      await file.close();
    });
    expect(await text("aside/dir/new")).toBe("here");
    expect(await readdir(outside)).toEqual(["a"]);
  });

  it("follows no link that takes the file's name", async () => {
    const opened = atPlace({ tree: checkout, path: "dir/a", missingFolders: "refuse" }, async (place) => {
      await rm(at("dir/a"));
      await symlink(join(outside, "a"), at("dir/a"));
      await openFile(place, "replace");
    });
    await expect(opened).rejects.toThrow("What lies at dir/a was swapped meanwhile. Look again.");
    expect(await readFile(join(outside, "a"), "utf8")).toBe("secret\n");
  });
});
