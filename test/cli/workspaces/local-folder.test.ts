// A folder's files beside git's own names of them, and what may be written into it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LocalFileMode } from "../../../src/cli/workspaces/file-state.ts";
import { pathFault } from "../../../src/cli/workspaces/folder-path.ts";
import { LocalFolder } from "../../../src/cli/workspaces/local-folder.ts";

let above: string;
let root: string;
let folder: LocalFolder;
beforeEach(async () => {
  above = await mkdtemp(join(tmpdir(), "local-folder-"));
  root = join(above, "root");
  await mkdir(root);
  folder = new LocalFolder(root, []);
});
afterEach(() => rm(above, { recursive: true, force: true }));

const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
const stateOf = (content: string | Buffer, mode: LocalFileMode = "100644") => {
  const bytes = Buffer.from(content);
  const oid = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  return { oid, mode };
};
async function* bytesOf(...contents: string[]) {
  for (const content of contents) yield Buffer.from(content);
}
const write = async (
  path: string,
  content: string,
  from: string | null = null,
  mode: LocalFileMode = "100644",
) =>
  await folder.write(path, {
    from: from === null ? null : stateOf(from),
    to: stateOf(content, mode),
    bytes: bytesOf(content),
  });

describe("a folder", () => {
  it("has the files that git sees in it, by the same names and modes", async () => {
    await mkdir(join(root, "deep/er"), { recursive: true });
    await writeFile(join(root, "a.txt"), "one\n");
    await writeFile(join(root, "deep/er/b.bin"), Buffer.from([0, 255, 10, 13]));
    await writeFile(join(root, "deep/tool.sh"), "#!/bin/sh\n");
    await chmod(join(root, "deep/tool.sh"), 0o755);
    await symlink("deep/er", join(root, "to-folder"));
    await symlink("nowhere", join(root, "deep/broken"));
    await writeFile(join(root, "ä ö.txt"), "");
    git("-c", "core.quotePath=false", "init", "--quiet");
    git("add", "--all");
    const { files, skipped } = await folder.scan();
    const expected = git("-c", "core.quotePath=false", "ls-files", "--stage")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => /^(\d+) (\w+) 0\t(.*)$/.exec(line) ?? [])
      .map(([, mode, oid, path]) => [path, { oid, mode }]);
    expect(expected).toHaveLength(6);
    expect(Object.fromEntries(files)).toEqual(Object.fromEntries(expected));
    expect(skipped).toEqual([]);
  });

  it("is sent without git's folders, its record, what is excluded, and what is no file", async () => {
    await mkdir(join(root, "sub/.git/objects"), { recursive: true });
    await writeFile(join(root, "sub/.git/config"), "secret\n");
    await mkdir(join(root, ".GIT"));
    await writeFile(join(root, ".GIT/config"), "secret\n");
    await mkdir(join(root, "node_modules/x"), { recursive: true });
    await writeFile(join(root, "node_modules/x/index.js"), "x\n");
    await writeFile(join(root, ".gitignore"), "y\n");
    await folder.recordFolder();
    execFileSync("mkfifo", [join(root, "pipe")]);
    await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x41])]), "z\n");
    const { files, skipped } = await new LocalFolder(root, ["**/node_modules/**", "node_modules/**"]).scan();
    expect([...files.keys()]).toEqual([".gitignore"]);
    expect(skipped.map(({ why }) => why).sort()).toEqual([
      "it is neither a file, nor a folder, nor a link",
      "its name is not UTF-8",
    ]);
  });

  it("gets files with their folders, modes and links, and loses the folders that are empty", async () => {
    await write("deep/er/a.txt", "one\n");
    await write("deep/tool.sh", "#!/bin/sh\n", null, "100755");
    await write("deep/link", "../../outside", null, "120000");
    expect((await lstat(join(root, "deep/tool.sh"))).mode & 0o100).toBe(0o100);
    expect(await readlink(join(root, "deep/link"))).toBe("../../outside");
    await write("deep/er/a.txt", "two\n", "one\n");
    expect(await readFile(join(root, "deep/er/a.txt"), "utf8")).toBe("two\n");
    await folder.remove("deep/er/a.txt", stateOf("two\n"));
    expect((await readdir(join(root, "deep"))).sort()).toEqual(["link", "tool.sh"]);
    expect(await readdir(join(root, ".agent-service-copy"))).toEqual([".gitignore"]);
  });

  it("keeps a file that is not as it was seen, and a file whose contents are not those that were listed", async () => {
    await writeFile(join(root, "a.txt"), "mine\n");
    await expect(write("a.txt", "theirs\n")).rejects.toThrow("has changed while the command was at work");
    await expect(write("a.txt", "theirs\n", "other\n")).rejects.toThrow("was not touched");
    await expect(folder.remove("a.txt", stateOf("other\n"))).rejects.toThrow("was not touched");
    const wrong = { from: stateOf("mine\n"), to: stateOf("listed\n"), bytes: bytesOf("came ", "instead\n") };
    await expect(folder.write("a.txt", wrong)).rejects.toThrow(
      "has changed in the copy while it was fetched",
    );
    const wrongLink = { from: null, to: stateOf("target", "120000"), bytes: bytesOf("other") };
    await expect(folder.write("link", wrongLink)).rejects.toThrow("has changed in the copy");
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("mine\n");
    expect((await readdir(root)).sort()).toEqual([".agent-service-copy", "a.txt"]);
  });

  it("reads no more of a link's target than a path may have", async () => {
    let chunks = 0;
    async function* endless() {
      for (;;) {
        chunks += 1;
        yield Buffer.alloc(1_000, "x");
      }
    }
    const to = stateOf("x".repeat(5_000), "120000");
    for (const bytes of [endless(), bytesOf("x".repeat(5_000))]) {
      await expect(folder.write("link", { from: null, to, bytes })).rejects.toThrow(
        'The target of the link "link" is too long.',
      );
    }
    expect(chunks).toBe(5);
    expect(await readdir(root)).not.toContain("link");
  });

  it("writes nothing through a link, whatever the copy holds", async () => {
    await mkdir(join(above, "outside"));
    await writeFile(join(above, "outside/a.txt"), "kept\n");
    await symlink("../outside", join(root, "inside"));
    await expect(write("inside/b.txt", "new\n")).rejects.toThrow('"inside" in the folder is no folder');
    await expect(write("inside/a.txt", "new\n", "kept\n")).rejects.toThrow(
      '"inside" in the folder is no folder',
    );
    await expect(folder.remove("inside/a.txt", stateOf("kept\n"))).rejects.toThrow("is no folder");
    await symlink("../outside/a.txt", join(root, "link"));
    await expect(write("link", "new\n", "kept\n")).rejects.toThrow("was not touched");
    await folder.write("link", {
      from: stateOf("../outside/a.txt", "120000"),
      to: stateOf("a file now\n"),
      bytes: bytesOf("a file now\n"),
    });
    expect(await readFile(join(root, "link"), "utf8")).toBe("a file now\n");
    expect(await readdir(join(above, "outside"))).toEqual(["a.txt"]);
    expect(await readFile(join(above, "outside/a.txt"), "utf8")).toBe("kept\n");
    await rename(join(root, ".agent-service-copy"), join(above, "record"));
    await symlink("../outside", join(root, ".agent-service-copy"));
    await expect(write("c.txt", "new\n")).rejects.toThrow("is no folder: move it away");
  });

  it.each([
    ["", "it is no relative path"],
    ["/etc/passwd", "it is no relative path"],
    ["a\0b", "it has characters that no file name has"],
    ["\ud800", "it has characters that no file name has"],
    ["../a", "it leaves its folder"],
    ["a/../../b", "it leaves its folder"],
    ["a//b", "it leaves its folder"],
    ["./a", "it leaves its folder"],
    [".git/config", "it is of git's own folder"],
    ["a/.GIT/hooks/x", "it is of git's own folder"],
    ["git~1/config", "it is of git's own folder"],
    [".g\u200cit/config", "it is of git's own folder"],
    [".agent-service-copy/copy.json", "its name is reserved"],
    [".Agent-Service-Copy/copy.json", "its name is reserved"],
  ])("takes no file %j", async (path, why) => {
    expect(pathFault(path, process.platform)).toBe(why);
    await expect(write(path, "x\n")).rejects.toThrow(why);
    expect(await readdir(root)).toEqual([]);
    expect(await readdir(above)).toEqual(["root"]);
  });

  it("takes no file on Windows that has no name there", () => {
    for (const path of ["a\\b", "C:evil", "a/con:stream", "a.", "a "]) {
      expect(pathFault(path, "win32")).toBe("Windows has no such file name");
      expect(pathFault(path, "linux")).toBe(null);
    }
  });
});
