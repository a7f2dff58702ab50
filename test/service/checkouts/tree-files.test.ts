import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGit } from "../../../src/base/git/git.ts";
import { gitCheckout } from "../../../src/service/checkouts/git-checkout.ts";
import { type Checkout, CheckoutError } from "../../../src/service/core/checkouts/checkout.ts";
import { CheckoutFixture } from "./checkout-fixture.ts";
import { textQuery } from "./text-query.ts";

let fixture: CheckoutFixture;
let outside: string;
beforeEach(async () => {
  fixture = await CheckoutFixture.make();
  outside = await mkdtemp(join(tmpdir(), "outside-"));
  await writeFile(join(outside, "f"), "TODO secret\n");
});
afterEach(async () => {
  await fixture.close();
  await rm(outside, { recursive: true });
});

async function open(): Promise<Checkout> {
  const files = {
    ".gitignore": "*.log\nlinked\n",
    "a/f": "TODO a\n",
    "b/kept.log": "TODO b\n",
    "linked/f": "nothing\n",
    z: "z\n",
  };
  return await fixture.open(fixture.repository.commit({ files }));
}

async function places(checkout: Checkout, folder = ""): Promise<string[]> {
  const found = await checkout.findText(textQuery("TODO", { path: folder }));
  expect(found.complete).toBe(true);
  return found.matches.map(({ path, line }) => `${path}:${line}`);
}

describe("a tree that an agent works on", () => {
  it("shows new files, and no longer those that are gone, without what git ignores", async () => {
    const checkout = await open();
    const before = [".gitignore", "a/f", "b/kept.log", "linked/f", "z"];
    expect(await checkout.files()).toEqual(before);
    expect(await places(checkout)).toEqual(["a/f:1", "b/kept.log:1"]);

    await mkdir(join(checkout.root, "new\nfolder"));
    await writeFile(join(checkout.root, "new\nfolder", "f"), "\nTODO new\n");
    await writeFile(join(checkout.root, "ignored.log"), "TODO ignored\n");
    await writeFile(join(checkout.root, "z"), "TODO z\n");
    await unlink(join(checkout.root, "a/f"));
    const after = [".gitignore", "b/kept.log", "linked/f", "new\nfolder/f", "z"];
    expect(await checkout.files()).toEqual(after);
    expect(await places(checkout)).toEqual(["b/kept.log:1", "new\nfolder/f:2", "z:1"]);
    expect(await places(checkout, "b")).toEqual(["b/kept.log:1"]);
    expect(await places(checkout, "new\nfolder")).toEqual(["new\nfolder/f:2"]);
  });

  it.each(["a", "linked"])("never looks through %s when it has become a link", async (name) => {
    const checkout = await open();
    await rm(join(checkout.root, name), { recursive: true });
    await symlink(outside, join(checkout.root, name));
    expect((await places(checkout)).filter((place) => place.startsWith(name))).toEqual([]);
    expect(await places(checkout, name)).toEqual([]);
    expect(await places(checkout, `${name}/f`)).toEqual([]);
  });

  it("skips what no search should read: pipes, links, repositories of their own, files without end", async () => {
    const checkout = await open();
    const at = (name: string) => join(checkout.root, name);
    await writeFile(at("huge"), "TODO huge\n");
    await truncate(at("huge"), 2 ** 31);
    await writeFile(at("z"), "TODO z\n");
    await truncate(at("z"), 2 ** 31);
    await symlink(join(outside, "f"), at("link"));
    execFileSync("mkfifo", [at("pipe")]);
    execFileSync("git", ["init", "--quiet", at("inner")]);
    await writeFile(at("inner/f"), "TODO inner\n");
    expect(await places(checkout)).toEqual(["a/f:1", "b/kept.log:1"]);
    expect((await checkout.files()).filter((path) => /inner|pipe/.test(path))).toEqual([]);
  });

  it("ends at the time limit where a pipe stands in place of git's own files", async () => {
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
    const checkout = gitCheckout({
      git: createGit({ ...settings, gitPath: "git", timeoutMs: 200 }),
      folder,
      source: { sha: "0".repeat(40), ref: "refs/heads/main", event: "push", baseRef: null },
      isTrusted: true,
      unsearched: [],
      signal: new AbortController().signal,
    });
    for (const look of [() => checkout.files(), () => places(checkout)]) {
      const error: unknown = await look().catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(CheckoutError);
      expect(String(error)).toContain("git ls-files took longer than the 0.2 s that it may. Look for a pipe");
    }
  });
});
