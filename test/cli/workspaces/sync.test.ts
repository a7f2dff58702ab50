// agent-service workspaces files, pull and push, as processes of their own on real folders, against the built service.

import { randomBytes } from "node:crypto";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { KeyFixture } from "../../support/fixtures/key-fixture.ts";

let fixture: KeyFixture;
beforeAll(async () => {
  fixture = await KeyFixture.start();
});
afterAll(() => fixture.close());

let above: string;
let workspaceId: string;
let workingCopyId: string;
let workspaces = 0;
beforeEach(async () => {
  above = await mkdtemp(join(tmpdir(), "sync-"));
  workspaces += 1;
  workspaceId = (await fixture.client.workspaces.create({ body: { name: `site-${workspaces}` } })).id;
  workingCopyId = (await fixture.json("workspaces", "copies", "create", workspaceId)).id;
});
afterEach(() => rm(above, { recursive: true, force: true }));

const folder = (name: string) => join(above, name);
const inCopy = () => ["--workspace", workspaceId, "--copy", workingCopyId];
const pull = (name: string, ...more: string[]) => fixture.ask("workspaces", "pull", folder(name), ...more);
const push = (name: string, ...more: string[]) => fixture.ask("workspaces", "push", folder(name), ...more);
const put = (name: string, content: string | Buffer) => writeFile(folder(name), content);
const text = (name: string) => readFile(folder(name), "utf8");
const remotePaths = async () => {
  const { items } = await fixture.client.copyFiles.list({
    workspaceId,
    workingCopyId,
    query: { recursive: true },
  });
  return items.map(({ path }) => path);
};
const writeRemote = async (path: string, content: string) => {
  const { client } = fixture;
  const place = { workspaceId, workingCopyId };
  const before = await client.copyFiles.stat({ ...place, query: { path } }).catch(() => null);
  const match = before !== null && "etag" in before ? { ifMatch: before.etag } : {};
  await client.copyFiles.write({ ...place, body: { path, content }, ...match });
};

/** A folder with files, a program, a link, a large file and git's own. */
async function makeSite(name: string): Promise<void> {
  await mkdir(join(folder(name), "deep/er"), { recursive: true });
  await mkdir(join(folder(name), ".git/objects"), { recursive: true });
  await put(`${name}/.git/config`, "[core]\n");
  await put(`${name}/index.html`, "<h1>One</h1>\n");
  await put(`${name}/deep/er/b.bin`, Buffer.from([0, 255, 10, 13, 128]));
  await put(`${name}/tool.sh`, "#!/bin/sh\n");
  await chmod(folder(`${name}/tool.sh`), 0o755);
  await symlink("deep/er/b.bin", folder(`${name}/link`));
  await put(`${name}/large.bin`, Buffer.concat([Buffer.alloc(700_000, 7), randomBytes(100_000)]));
  await chmod(folder(`${name}/large.bin`), 0o755);
}

describe("agent-service workspaces push and pull", () => {
  it("name a file whose stored contents are damaged, and leave no part of it", async () => {
    await mkdir(folder("one"));
    await put("one/large.bin", randomBytes(300_000));
    expect((await push("one", ...inCopy())).code).toBe(0);
    const blobs = join(fixture.dataDir, "blobs", "ws", workspaceId);
    const [name = ""] = await readdir(blobs);
    const bytes = await readFile(join(blobs, name));
    bytes[7] = (bytes[7] ?? 0) ^ 1;
    await writeFile(join(blobs, name), bytes);

    const broken = await pull("two", ...inCopy());
    expect(broken.code).toBe(1);
    expect(broken.stderr).toMatch(/^"large\.bin" could not be fetched\. The answer to GET .* broke off: /);
    const lost = await pull("two", ...inCopy());
    expect(lost.code).toBe(1);
    expect(lost.stderr).toMatch(/^"large\.bin" cannot be fetched\. The service has lost its contents/);
    for (const { stderr } of [broken, lost]) expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(await readdir(folder("two"))).toEqual([".agent-service-copy"]);

    const output = folder("large.bin");
    const cat = await fixture.ask(
      "workspaces",
      "files",
      "cat",
      workspaceId,
      "large.bin",
      "--copy",
      workingCopyId,
      "--output",
      output,
    );
    expect([cat.code, cat.stderr]).toEqual([1, expect.stringContaining("contents_lost")]);
    await expect(lstat(output)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("bring a folder to a copy and to another folder as it is: bytes, modes and links, and nothing of git", async () => {
    await makeSite("one");
    const sent = await push("one", ...inCopy());
    expect([sent.code, sent.stderr]).toEqual([0, ""]);
    const paths = ["deep/er/b.bin", "index.html", "large.bin", "link", "tool.sh"];
    expect(sent.stdout.split("\n")).toEqual(paths.map((path) => `added ${path}`));
    expect(await remotePaths()).toEqual(paths);

    const got = await pull("two", ...inCopy());
    expect([got.code, got.stderr]).toEqual([0, ""]);
    expect((await readdir(folder("two"))).sort()).toEqual([
      ".agent-service-copy",
      "deep",
      "index.html",
      "large.bin",
      "link",
      "tool.sh",
    ]);
    for (const path of ["deep/er/b.bin", "large.bin", "tool.sh"])
      expect(await readFile(folder(`two/${path}`)), path).toEqual(await readFile(folder(`one/${path}`)));
    expect(await readlink(folder("two/link"))).toBe("deep/er/b.bin");
    for (const path of ["large.bin", "tool.sh"])
      expect((await lstat(folder(`two/${path}`))).mode & 0o111, path).toBe(0o111);
    expect((await lstat(folder("two/index.html"))).mode & 0o111).toBe(0);

    for (const again of [await push("one"), await pull("one"), await push("two"), await pull("two")])
      expect([again.code, again.stdout]).toEqual([0, ""]);
  });

  it("bring only what differs, in both directions, deletions too", async () => {
    await makeSite("one");
    await push("one", ...inCopy());
    await pull("two", ...inCopy());
    await put("one/index.html", "<h1>Two</h1>\n");
    await rm(folder("one/deep"), { recursive: true });
    await chmod(folder("one/tool.sh"), 0o644);
    await writeRemote("new/page.html", "<p>New</p>\n");

    const sent = await fixture.json("workspaces", "push", folder("one"));
    expect(sent).toEqual({
      changed: [
        { path: "deep/er/b.bin", action: "removed" },
        { path: "index.html", action: "replaced" },
        { path: "tool.sh", action: "replaced" },
      ],
      left: ["new/page.html"],
      conflicts: [],
      skipped: [],
    });
    const got = await pull("two");
    expect(got.stdout.split("\n")).toEqual([
      "removed deep/er/b.bin",
      "replaced index.html",
      "added new/page.html",
      "replaced tool.sh",
    ]);
    expect((await readdir(folder("two"))).sort()).toEqual([
      ".agent-service-copy",
      "index.html",
      "large.bin",
      "link",
      "new",
      "tool.sh",
    ]);
    expect((await lstat(folder("two/tool.sh"))).mode & 0o111).toBe(0);
    const back = await pull("one");
    expect([back.code, back.stdout]).toEqual([0, "added new/page.html"]);
  });

  it("overwrite nothing where a file has changed on both sides, until one is chosen", async () => {
    await mkdir(folder("one"));
    await put("one/a.txt", "one\n");
    await put("one/b.txt", "one\n");
    await push("one", ...inCopy());
    await put("one/a.txt", "mine\n");
    await put("one/new.txt", "new\n");
    await writeRemote("a.txt", "theirs\n");
    await writeRemote("b.txt", "two\n");

    const sent = await push("one");
    expect([sent.code, sent.stdout]).toEqual([1, ""]);
    expect(sent.stderr).toBe("Conflict: a.txt has changed on both sides\nNothing was sent. Pull first.\n");
    const got = await pull("one");
    expect([got.code, got.stdout]).toEqual([1, ""]);
    expect(got.stderr).toMatch(
      /^Conflict: a\.txt has changed on both sides\nNothing was changed\. Give --take /,
    );
    expect([await text("one/a.txt"), await text("one/b.txt")]).toEqual(["mine\n", "one\n"]);
    expect(await remotePaths()).toEqual(["a.txt", "b.txt"]);

    const kept = await pull("one", "--take", "local");
    expect([kept.code, kept.stdout]).toEqual([0, "replaced b.txt"]);
    expect(kept.stderr).toBe("Changed here: 2 files. Push sends them.\n");
    const again = await push("one");
    expect([again.code, again.stdout]).toEqual([0, "replaced a.txt\nadded new.txt"]);

    await put("one/a.txt", "mine again\n");
    await writeRemote("a.txt", "theirs again\n");
    const taken = await pull("one", "--take", "remote");
    expect([taken.code, taken.stdout]).toEqual([0, "replaced a.txt"]);
    expect(await text("one/a.txt")).toBe("theirs again\n");
  });

  it("keep a folder's own files at the first pull, and leave out what is excluded", async () => {
    await writeRemote("a.txt", "theirs\n");
    await writeRemote("node_modules/x.js", "x\n");
    await mkdir(folder("one/node_modules"), { recursive: true });
    await put("one/a.txt", "mine\n");
    await put("one/b.txt", "mine\n");
    await put("one/node_modules/y.js", "y\n");
    const first = await pull("one", ...inCopy(), "--exclude", "node_modules/**");
    expect([first.code, first.stdout]).toEqual([1, ""]);
    expect(first.stderr).toContain("Conflict: a.txt has changed on both sides");
    expect(await text("one/a.txt")).toBe("mine\n");
    await pull("one", ...inCopy(), "--take", "remote", "--exclude", "node_modules/**");
    expect([await text("one/a.txt"), await text("one/b.txt")]).toEqual(["theirs\n", "mine\n"]);
    await push("one", "--exclude", "node_modules/**");
    expect(await remotePaths()).toEqual(["a.txt", "b.txt", "node_modules/x.js"]);
    expect(await readdir(folder("one/node_modules"))).toEqual(["y.js"]);
  });

  it("write nothing outside the folder, where the copy has a link in a folder's place", async () => {
    await writeRemote("inside/a.txt", "theirs\n");
    await mkdir(folder("outside"));
    await mkdir(folder("one"));
    await symlink("../outside", folder("one/inside"));
    const got = await pull("one", ...inCopy());
    expect(got.code).toBe(1);
    expect(got.stderr).toContain("Conflict: inside/a.txt is a file here and a folder there");
    expect(await readdir(folder("outside"))).toEqual([]);
  });

  it("stay with the copy that the folder is of, and say what is missing", async () => {
    const unknown = await pull("one");
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining(
        "This folder was never synchronised: name its workspace with --workspace <workspace>.",
      ),
    ]);
    await pull("one", ...inCopy());
    const other = await pull("one", "--workspace", workspaceId, "--copy", "another");
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(`This folder is of copy ${workingCopyId}, not another.`);
    await put("one/.agent-service-copy/copy.json", "{");
    const damaged = await pull("one", ...inCopy());
    expect([damaged.code, damaged.stderr]).toEqual([
      1,
      expect.stringContaining("is damaged, or of another version."),
    ]);
    const missing = await push("nothing", ...inCopy());
    expect([missing.code, missing.stderr]).toEqual([1, `There is no folder "${folder("nothing")}".\n`]);
  });

  it("save what was pushed to the canonical copy as the current revision", async () => {
    await mkdir(folder("one"));
    await put("one/a.txt", "one\n");
    expect((await push("one", "--workspace", workspaceId)).stdout).toBe("added a.txt");
    const saved = await fixture.json("workspaces", "checkpoint", workspaceId, "--message", "One");
    expect((await fixture.json("workspaces", "show", workspaceId)).current_revision_id).toBe(
      saved.revision_id,
    );
    const { stdout } = await fixture.ask(
      "workspaces",
      "files",
      "cat",
      workspaceId,
      "a.txt",
      "--revision",
      saved.revision_id,
    );
    expect(stdout).toBe("one");
  });
});

describe("agent-service workspaces files", () => {
  const files = (...args: string[]) => fixture.ask("workspaces", "files", ...args, "--copy", workingCopyId);

  it("puts, lists, shows, replaces, deletes and restores a file", async () => {
    await put("page.html", "<p>One</p>\n");
    const made = await files("put", workspaceId, "deep/page.html", folder("page.html"));
    const [, etag = ""] = /^Written: 11 bytes, ETag (\d+)\.$/.exec(made.stdout) ?? [];
    expect([made.code, etag]).toEqual([0, expect.stringMatching(/^\d+$/)]);
    const root = await files("ls", workspaceId);
    expect(root.stdout.split("\n")).toEqual(["TYPE    SIZE  ETAG  PATH", "folder  -     -     deep"]);
    const all = await files("ls", workspaceId, "--recursive");
    expect(all.stdout).toMatch(new RegExp(`^file +11 +${etag} +deep/page\\.html$`, "m"));
    expect((await files("cat", workspaceId, "deep/page.html")).stdout).toBe("<p>One</p>");

    await put("page.html", "<p>Two</p>\n");
    for (const stale of [[], ["--if-match", "1"]]) {
      const refused = await files("put", workspaceId, "deep/page.html", folder("page.html"), ...stale);
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
      expect(refused.stderr).toMatch(/^The service refused \(412 /);
      expect(refused.stderr).toContain(`ETag ${etag}`);
      expect(refused.stderr).toContain(`"--if-match ${etag}"`);
    }
    const replaced = await files(
      "put",
      workspaceId,
      "deep/page.html",
      folder("page.html"),
      "--if-match",
      etag,
    );
    expect(replaced.code).toBe(0);
    const output = ["--output", folder("got.html")];
    expect((await files("cat", workspaceId, "deep/page.html", ...output)).code).toBe(0);
    expect(await text("got.html")).toBe("<p>Two</p>\n");
    const twice = await files("cat", workspaceId, "deep/page.html", ...output);
    expect([twice.code, twice.stderr]).toEqual([
      1,
      `"${folder("got.html")}" is there already, and was not touched.\n`,
    ]);

    const removed = await files("rm", workspaceId, "deep");
    const [, handle = ""] = /restore" takes (\S+)\.$/.exec(removed.stdout) ?? [];
    expect(removed.stdout).toMatch(/^Deleted: 1 file\. /);
    expect(await remotePaths()).toEqual([]);
    const restored = await files("restore", workspaceId, handle);
    expect([restored.code, restored.stdout]).toEqual([0, "Restored: deep."]);
    expect(await remotePaths()).toEqual(["deep/page.html"]);
  });
});
