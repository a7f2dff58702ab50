import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { resolveInCheckout, showPath } from "../../../../src/service/executor/tools/checkout-path.ts";
import { ToolError } from "../../../../src/service/executor/tools/tool.ts";

let folder: string;
let root: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "path-test-")));
  root = join(folder, "tree");
  await mkdir(join(root, "dir"), { recursive: true });
  await mkdir(join(folder, "tree-twin"));
  await writeFile(join(folder, "secret"), "secret");
  await writeFile(join(root, "dir", "file"), "text");
});
afterEach(() => rm(folder, { recursive: true }));

async function messageOf(path: string): Promise<string> {
  const error: unknown = await resolveInCheckout({ root }, path).catch((cause: unknown) => cause);
  if (!(error instanceof ToolError)) throw new Error(`${path} was not refused.`);
  expect(error.message).not.toContain(folder);
  return `${error.code}: ${error.message}`;
}

it("resolves relative paths, with superfluous segments or without", async () => {
  expect(await resolveInCheckout({ root }, "dir/file")).toBe(join(root, "dir/file"));
  expect(await resolveInCheckout({ root }, "./dir//./file")).toBe(join(root, "dir/file"));
  expect(await resolveInCheckout({ root }, "")).toBe(root);
});

it.each([
  ["/etc/passwd", "it must be relative to the repository's root"],
  ["C:/Windows", "it must be relative to the repository's root"],
  ["..", 'it must not hold ".."'],
  ["../secret", 'it must not hold ".."'],
  ["dir/../../secret", 'it must not hold ".."'],
  [".git/config", "git's own folder is out of reach"],
  ["dir/.GIT/config", "git's own folder is out of reach"],
  ["a\0b", "it holds a NUL"],
  ["a".repeat(5000), "it is longer than 4096 characters"],
])("refuses %j by its text", async (path, rule) => {
  const message = await messageOf(path);
  expect(message).toContain("path_refused: The path ");
  expect(message).toContain(`is refused: ${rule}.`);
  expect(message.length).toBeLessThan(400);
});

it("says which path is not there", async () => {
  expect(await messageOf("dir/none")).toBe(
    'not_found: There is no file or folder "dir/none" in the repository.',
  );
});

it("follows links that stay inside", async () => {
  await symlink("dir", join(root, "link"));
  expect(await resolveInCheckout({ root }, "link/file")).toBe(join(root, "dir/file"));
});

it.each([
  ["an absolute link", "/etc/passwd", ""],
  ["a relative link", "../secret", ""],
  ["a link to the parent", "..", ""],
  ["a linked folder", "..", "/secret"],
  ["a folder whose name begins like the root's", "../tree-twin", ""],
])("refuses %s out of the root", async (_name, target, rest) => {
  await symlink(target, join(root, "link"));
  expect(await messageOf(`link${rest}`)).toContain("symbolic link that leads out of the repository");
});

it("refuses a link into git's folder, and survives one that leads to itself", async () => {
  await mkdir(join(root, ".git"));
  await symlink(".git", join(root, "innocent"));
  await symlink("loop", join(root, "loop"));
  expect(await messageOf("innocent")).toContain("git's own folder is out of reach");
  expect(await messageOf("loop")).toContain("not_found");
});

it("resolves the root itself when it is reached through a link", async () => {
  await symlink("tree", join(folder, "alias"));
  expect(await resolveInCheckout({ root: join(folder, "alias") }, "dir/file")).toBe(join(root, "dir/file"));
});

it("shows a path on one line", () => {
  expect(showPath("src/a b.ts")).toBe("src/a b.ts");
  expect(showPath("a\nb\u001b[1m")).toBe('"a\\nb\\u001b[1m"');
  expect(showPath('q"')).toBe('"q\\""');
  expect(showPath(" ")).toBe('" "');
});
