// What a run changed, as a patch: what is in it, what is held back, and that nothing of the tree is executed.

import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Checkout } from "../../../src/service/core/checkouts/checkout.ts";
import { CheckoutFixture } from "./checkout-fixture.ts";

let fixture: CheckoutFixture;
let base: string;

beforeAll(async () => {
  fixture = await CheckoutFixture.make();
  base = fixture.repository.commit({
    files: {
      "README.md": "# Fixture\n",
      "src/a.ts": "export const a = 1;\n",
      "src/b.ts": "export const b = 2;\n",
      "image.bin": Buffer.from([0, 1, 2, 3, 255]),
      "latin1.txt": Buffer.from("caf\xe9\n", "latin1"),
      ".gitignore": "ignored/\n",
      ".github/workflows/ci.yml": "on: push\n",
      ".gitattributes": "*.ts filter=evil diff=evil\n",
      vendor: { submodule: "1".repeat(40) },
    },
  });
});

afterAll(() => fixture.close());

let runs = 0;
async function open(options: { gitTimeoutMs?: number } = {}): Promise<Checkout> {
  runs += 1;
  return await fixture.open(base, { ...options, source: { runId: `run-${runs}` } });
}

/** The tree that a patch makes of the base, as another git sees it: names, modes and contents. */
function applied(patch: string): string {
  const index = { GIT_INDEX_FILE: join(fixture.repository.path, `applied-${runs}`) };
  fixture.repository.git(["read-tree", base], { env: index });
  if (patch !== "") fixture.repository.git(["apply", "--cached", "--binary"], { env: index, input: patch });
  const tree = fixture.repository.git(["write-tree"], { env: index });
  return fixture.repository.git(["ls-tree", "-r", tree]);
}

describe("a run's changes", () => {
  it("are none where nothing was changed", async () => {
    const checkout = await open();
    expect(await checkout.workingChanges()).toEqual({ baseSha: base, files: [], patch: "", heldBack: [] });
  });

  it("hold what was edited, added, deleted and made executable, text and binary", async () => {
    const checkout = await open();
    const at = (path: string) => join(checkout.root, path);
    await writeFile(at("src/a.ts"), "export const a = 3;\n");
    await rm(at("src/b.ts"));
    await writeFile(at("image.bin"), Buffer.from([9, 0, 9]));
    await writeFile(at("new file.txt"), "one\ntwo\n");
    await chmod(at("README.md"), 0o755);
    await symlink("../../etc/passwd", at("link"));
    const changes = await checkout.workingChanges();
    expect(changes.heldBack).toEqual([]);
    expect(changes.files).toEqual([
      { path: "README.md", status: "modified", additions: 0, deletions: 0 },
      { path: "image.bin", status: "modified", additions: 0, deletions: 0 },
      { path: "link", status: "added", additions: 1, deletions: 0 },
      { path: "new file.txt", status: "added", additions: 2, deletions: 0 },
      { path: "src/a.ts", status: "modified", additions: 1, deletions: 1 },
      { path: "src/b.ts", status: "deleted", additions: 0, deletions: 1 },
    ]);
    const tree = applied(changes.patch);
    expect(tree).toMatch(/^100755 blob \w+\tREADME\.md$/m);
    expect(tree).toMatch(/^120000 blob \w+\tlink$/m);
    expect(tree).not.toContain("src/b.ts");
    expect(await checkout.workingChanges()).toEqual(changes);
  });

  it("carry bytes that are no UTF-8, and names of any letter", async () => {
    const checkout = await open();
    const content = Buffer.from("th\xe9 \xff\n", "latin1");
    await writeFile(join(checkout.root, "latin1.txt"), content);
    await writeFile(join(checkout.root, 'a\n"b"\t\x1b[31m.txt'), "x\n");
    const { patch, files } = await checkout.workingChanges();
    expect(files.map(({ path }) => path)).toEqual(['a\n"b"\t\x1b[31m.txt', "latin1.txt"]);
    const blob = /^100644 blob (\w+)\tlatin1\.txt$/m.exec(applied(patch))?.[1] ?? "";
    const stored = execFileSync("git", ["cat-file", "blob", blob], { cwd: fixture.repository.path });
    expect(stored).toEqual(content);
  });

  it("leave out what git ignores, and hold back what is protected, in any spelling", async () => {
    const checkout = await open();
    const at = (path: string) => join(checkout.root, path);
    await mkdir(at("ignored"));
    await writeFile(at("ignored/x"), "x");
    await writeFile(at(".github/workflows/ci.yml"), "on: pull_request_target\n");
    await mkdir(at(".GitHub/Workflows"), { recursive: true });
    await writeFile(at(".GitHub/Workflows/evil.yml"), "on: push\n");
    await writeFile(at("src/a.ts"), "export const a = 4;\n");
    const { files, heldBack, patch } = await checkout.workingChanges();
    expect(files.map(({ path }) => path)).toEqual(["src/a.ts"]);
    expect(heldBack).toEqual([
      { path: ".GitHub/Workflows/evil.yml", reason: "protected" },
      { path: ".github/workflows/ci.yml", reason: "protected" },
    ]);
    expect(patch).not.toMatch(/workflows/i);
  });

  it.each([24, 40])(
    "hold back a file that is too large, and small ones when there are too many: %i",
    async (noisy) => {
      const checkout = await open();
      await writeFile(join(checkout.root, "huge.bin"), "x");
      await truncate(join(checkout.root, "huge.bin"), 2_000_000_000);
      const noise = randomText(1_000_000);
      for (let count = 0; count < noisy; count += 1)
        await writeFile(join(checkout.root, `noise-${count}.txt`), noise);
      await writeFile(join(checkout.root, "src/a.ts"), "export const a = 5;\n");
      const { files, heldBack, patch } = await checkout.workingChanges();
      expect(heldBack).toContainEqual({ path: "huge.bin", reason: "too_large" });
      expect(heldBack).toHaveLength(noisy + 1);
      expect(files.map(({ path }) => path)).toEqual(["src/a.ts"]);
      expect(patch).toContain("+export const a = 5;");
    },
  );

  it("execute nothing that lies in the tree: filters, hooks, monitors, a repository within", async () => {
    const checkout = await open();
    const witness = join(checkout.root, "..", "witness");
    const script = join(checkout.root, "evil.sh");
    await writeFile(script, `#!/bin/sh\ntouch ${witness}\ncat\n`);
    await chmod(script, 0o755);
    for (const folder of ["nested", "vendor"]) {
      const nested = join(checkout.root, folder);
      execFileSync("git", ["init", "--quiet", nested]);
      await writeFile(
        join(nested, ".git/config"),
        `[core]\n\tfsmonitor = ${script}\n\thooksPath = ${checkout.root}\n[filter "evil"]\n\tclean = ${script}\n\trequired\n[diff "evil"]\n\tcommand = ${script}\n`,
      );
      await writeFile(join(nested, "file.ts"), "x\n");
    }
    await writeFile(join(checkout.root, ".gitmodules"), '[submodule "vendor"]\n\tpath = vendor\n');
    await writeFile(join(checkout.root, "src/a.ts"), "export const a = 6;\n");
    const { files, heldBack } = await checkout.workingChanges();
    await expect(readFile(witness)).rejects.toThrow();
    expect(files.map(({ path }) => path)).toEqual(["evil.sh", "src/a.ts"]);
    expect(heldBack).toContainEqual({ path: ".gitmodules", reason: "protected" });
    expect(heldBack).toContainEqual({ path: "nested/", reason: "protected" });
  });

  it("see a file that took a folder's place, and a folder that became a link to the outside", async () => {
    const checkout = await open();
    await rm(join(checkout.root, "src"), { recursive: true });
    await symlink("/etc", join(checkout.root, "src"));
    const { files, patch } = await checkout.workingChanges();
    expect(files).toEqual([
      { path: "src", status: "added", additions: 1, deletions: 0 },
      { path: "src/a.ts", status: "deleted", additions: 0, deletions: 1 },
      { path: "src/b.ts", status: "deleted", additions: 0, deletions: 1 },
    ]);
    expect(patch).not.toContain("root:");
  });

  it("hold nothing of a large file that was not touched, and hold it back once it was", async () => {
    const sha = fixture.repository.commit({ files: { "large.bin": Buffer.alloc(6_000_000), a: "a\n" } });
    const checkout = await fixture.open(sha, { source: { runId: "run-large" } });
    expect(await checkout.workingChanges()).toEqual({ baseSha: sha, files: [], patch: "", heldBack: [] });
    await writeFile(join(checkout.root, "large.bin"), Buffer.alloc(6_000_000, 1));
    expect((await checkout.workingChanges()).heldBack).toEqual([{ path: "large.bin", reason: "too_large" }]);
  });

  it("are found in files whose names are no UTF-8", async () => {
    const raw = (name: string) => Buffer.from(name, "latin1");
    const entry = (name: string, blob: string) =>
      Buffer.concat([raw(`100644 ${name}\0`), Buffer.from(blob, "hex")]);
    const blob = fixture.repository.blob("old\n");
    const tree = fixture.repository.git(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], {
      input: Buffer.concat([entry("edited\xff", blob), entry("gone\xfe", blob), entry("same\xfd", blob)]),
    });
    const sha = fixture.repository.commitTree(tree, {});
    const checkout = await fixture.open(sha, { source: { runId: "run-bytes" } });
    const at = (name: string) => Buffer.concat([Buffer.from(`${checkout.root}/`), raw(name)]);
    expect((await checkout.workingChanges()).files).toEqual([]);
    await writeFile(at("edited\xff"), "new\n");
    await rm(at("gone\xfe"));
    await writeFile(at("added\xfc"), "x\n");
    await mkdir(at(".circleci"));
    await writeFile(at(".circleci/\xfb"), "x\n");
    const { files, patch, heldBack } = await checkout.workingChanges();
    expect(files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      "added added\ufffd",
      "modified edited\ufffd",
      "deleted gone\ufffd",
    ]);
    expect(heldBack).toEqual([{ path: ".circleci/\ufffd", reason: "protected" }]);
    const index = { GIT_INDEX_FILE: join(fixture.repository.path, "applied-bytes") };
    fixture.repository.git(["read-tree", sha], { env: index });
    fixture.repository.git(["apply", "--cached", "--binary"], { env: index, input: patch });
    const names = fixture.repository.git(["ls-files"], { env: index }).split("\n");
    expect(names).toEqual(['"added\\374"', '"edited\\377"', '"same\\375"']);
  });

  it("hold back a thousand protected files at once", async () => {
    const checkout = await open();
    const folder = join(checkout.root, ".github/workflows");
    const names = Array.from({ length: 1_000 }, (_, index) => `evil-${String(index).padStart(4, "0")}.yml`);
    for (const name of names) await writeFile(join(folder, name), "on: push\n");
    await rm(join(folder, "ci.yml"));
    await writeFile(join(checkout.root, "src/a.ts"), "export const a = 9;\n");
    const { files, heldBack } = await checkout.workingChanges();
    expect(files.map(({ path }) => path)).toEqual(["src/a.ts"]);
    const held = ["ci.yml", ...names].map((name) => `.github/workflows/${name}`);
    expect(heldBack).toEqual(held.map((path) => ({ path, reason: "protected" })));
  });

  it.each([".gitignore", "src/.gitignore", ".gitattributes", "nested/.git/HEAD"])(
    "are said to be unreadable where a pipe in the place of %s holds git up",
    async (path) => {
      const checkout = await open({ gitTimeoutMs: 500 });
      const pipe = join(checkout.root, path);
      if (path.startsWith("nested")) {
        execFileSync("git", ["init", "--quiet", join(checkout.root, "nested")]);
      }
      await rm(pipe, { force: true });
      execFileSync("mkfifo", [pipe]);
      await writeFile(join(checkout.root, "src/a.ts"), "export const a = 9;\n");
      const changes = await checkout.workingChanges();
      expect(changes).toMatchObject({ baseSha: base, files: [], patch: "", heldBack: [] });
      expect(changes.unreadable).toMatch(
        /^git (ls-files|read-tree|update-index) took longer than the [\d.]+ s that it may\. Look for a pipe/,
      );
      await rm(pipe);
      expect((await checkout.workingChanges()).files.map((file) => file.path)).toContain("src/a.ts");
      expect(await checkout.recentCommits(1)).toHaveLength(1);
    },
  );

  it("do not wait for pipes that git need not read", async () => {
    const checkout = await open({ gitTimeoutMs: 2_000 });
    const names = [".mailmap", ".gitmodules", "pipe", "src/a.ts", ".git-blame-ignore-revs"];
    for (const name of names) {
      await rm(join(checkout.root, name), { force: true });
      execFileSync("mkfifo", [join(checkout.root, name)]);
    }
    const { files, heldBack, unreadable } = await checkout.workingChanges();
    expect(unreadable).toBeUndefined();
    expect(files.map(({ path, status }) => `${status} ${path}`)).toEqual(["deleted src/a.ts"]);
    expect(heldBack).toEqual([]);
    expect(await checkout.recentCommits(1)).toHaveLength(1);
  });
});

describe("restoring a patch", () => {
  it("gives the next run the tree that the last one left", async () => {
    const first = await open();
    await writeFile(join(first.root, "src/a.ts"), "export const a = 7;\n");
    await writeFile(join(first.root, "image.bin"), Buffer.from([7, 0, 7]));
    await writeFile(join(first.root, "new.txt"), "new\n");
    const changes = await first.workingChanges();
    const second = await open();
    expect(await second.restore(changes.patch)).toEqual({ ok: true, value: null });
    expect(await readFile(join(second.root, "new.txt"), "utf8")).toBe("new\n");
    expect(await second.workingChanges()).toEqual(changes);
  });

  it("has nothing to do where somebody has committed it since", async () => {
    const first = await open();
    await rm(join(first.root, "src/a.ts"));
    await writeFile(join(first.root, "new.txt"), "new\n");
    const { patch } = await first.workingChanges();
    const committed = fixture.repository.commit({ files: { "new.txt": "new\n" } });
    const second = await fixture.open(committed, { source: { runId: "run-committed" } });
    expect(await second.restore(patch)).toEqual({ ok: true, value: null });
    expect((await second.workingChanges()).files).toEqual([]);
  });

  it("leaves the tree as it was where the patch does not apply", async () => {
    const first = await open();
    await writeFile(join(first.root, "src/a.ts"), "export const a = 8;\n");
    const { patch } = await first.workingChanges();
    const moved = fixture.repository.commit({ files: { "src/a.ts": "export const other = 1;\n" } });
    const second = await fixture.open(moved, { source: { runId: "run-moved" } });
    expect(await second.restore(patch)).toMatchObject({ ok: false, refusal: { paths: ["src/a.ts"] } });
    expect(await readFile(join(second.root, "src/a.ts"), "utf8")).toBe("export const other = 1;\n");
    expect((await second.workingChanges()).files).toEqual([]);
    expect(await second.restore("garbage")).toMatchObject({
      ok: false,
      refusal: { reason: "patch_malformed" },
    });
  });
});

/** Of few lines: git takes a long time for many. */
function randomText(bytes: number): string {
  let seed = bytes;
  let text = "";
  while (text.length < bytes) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += seed % 1000 === 0 ? "\n" : seed.toString(36);
  }
  return text.slice(0, bytes);
}
