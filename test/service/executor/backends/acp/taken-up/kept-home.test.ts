import { randomBytes } from "node:crypto";
import {
  chmod,
  link,
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
import { basename, dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  bringHomeBack,
  keepHome,
} from "../../../../../../src/service/executor/backends/acp/taken-up/kept-home.ts";
import { SecretMask } from "../../../../../../src/service/executor/secret-mask.ts";

const SECRET = "a-secret-of-the-run";

let folder: string;
let home: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kept-home-"));
  home = join(folder, "home");
  await mkdir(home);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), content);
  }
}

/** Keeps the home and brings it back. Returns the paths of what is there then. */
async function keptPaths(): Promise<readonly string[]> {
  const kept = await keepHome(home, new SecretMask([SECRET]));
  if (kept === null) throw new Error("The home was not kept.");
  expect(kept.name).toBe(basename(home));
  const back = join(folder, "back");
  await mkdir(back);
  await bringHomeBack(back, kept);
  const entries = await readdir(back, { recursive: true, withFileTypes: true });
  return entries.map((entry) => relative(back, join(entry.parentPath, entry.name))).toSorted();
}

describe("a kept home", () => {
  it("comes back with its folders, files, modes, times and links", async () => {
    await write({
      ".agent/sessions/1.jsonl": '{"said": "hello"}\n',
      ".agent/empty": "",
      "bin/tool": "#!/bin/sh\n",
    });
    await chmod(join(home, "bin/tool"), 0o755);
    await symlink("../1.jsonl", join(home, ".agent/sessions/newest"));
    expect(await keptPaths()).toEqual([
      ".agent",
      ".agent/empty",
      ".agent/sessions",
      ".agent/sessions/1.jsonl",
      ".agent/sessions/newest",
      "bin",
      "bin/tool",
    ]);
    const back = join(folder, "back");
    expect(await readFile(join(back, ".agent/sessions/1.jsonl"), "utf8")).toBe('{"said": "hello"}\n');
    expect(await readlink(join(back, ".agent/sessions/newest"))).toBe("../1.jsonl");
    const [before, after] = await Promise.all([home, back].map((place) => lstat(join(place, "bin/tool"))));
    expect(after?.mode).toBe(before?.mode);
    expect(Math.abs((after?.mtimeMs ?? 0) - (before?.mtimeMs ?? 0))).toBeLessThan(2);
  });

  it("has no credentials, by their files' names or by what is in them, and no caches", async () => {
    await write({
      "kept.json": "{}",
      ".codex/auth.json": "{}",
      ".gemini/oauth_creds.json": "{}",
      ".claude/.credentials.json": "{}",
      ".netrc": "machine example.com",
      ".aws/config": "[default]",
      "plain.txt": `It is ${SECRET}.`,
      "encoded.txt": Buffer.from(`It is ${SECRET}.`).toString("base64"),
      "binary.db": Buffer.concat([randomBytes(1_000), Buffer.from(SECRET), randomBytes(1_000)]),
      ".cache/a": "a",
      "x/node_modules/b": "b",
      "repository-configuration/c.txt": "c",
    });
    expect(await keptPaths()).toEqual([".claude", ".codex", ".gemini", "kept.json", "x"]);
  });

  it("has nothing of what lies outside", async () => {
    await write({ "kept.json": "{}" });
    await mkdir(join(folder, "outside"));
    await writeFile(join(folder, "outside/file"), "none of the agent's");
    await symlink(join(folder, "outside"), join(home, "folder"));
    await symlink(join(folder, "outside/file"), join(home, "file"));
    await link(join(folder, "outside/file"), join(home, "second-name"));
    const kept = await keepHome(home, new SecretMask());
    expect(await keptPaths()).toEqual(["file", "folder", "kept.json"]);
    expect(kept).not.toBeNull();
    expect((await lstat(join(folder, "back/folder"))).isSymbolicLink()).toBe(true);
    expect((await lstat(join(folder, "back/file"))).isSymbolicLink()).toBe(true);
  });

  it.each<[string, () => Promise<void>]>([
    ["packs badly", () => write({ bulk: randomBytes(9 * 1024 * 1024) })],
    ["has too many bytes", () => write({ bulk: Buffer.alloc(33 * 1024 * 1024) })],
    [
      "has too many files",
      async () => {
        for (let at = 0; at <= 5_000; at += 1) await writeFile(join(home, `${at}`), "");
      },
    ],
  ])("is none where it %s", async (_case, fill) => {
    await fill();
    expect(await keepHome(home, new SecretMask())).toBeNull();
  });
});
