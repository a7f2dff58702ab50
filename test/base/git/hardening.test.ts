// The real git, hardened, in a repository whose own configuration works against whoever uses it.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGit, type Git, GitError } from "../../../src/base/git/git.ts";

const { signal } = new AbortController();

let folder: string;
let root: string;
let program: string;
let git: Git;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hardening-"));
  root = join(folder, "repository");
  program = join(folder, "program.sh");
  await mkdir(join(folder, "home"));
  await writeFile(program, `#!/bin/sh\ntouch "${folder}/executed"\n`, { mode: 0o755 });
  execFileSync("git", ["init", "--quiet", root]);
  await writeFile(join(root, "a.txt"), "a\n");
  git = createGit({
    environment: process.env,
    home: join(folder, "home"),
    gitFolder: join(root, ".git"),
    treeFolder: root,
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const configure = (settings: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(settings))
    execFileSync("git", ["config", "--local", "--add", name, value], { cwd: root });
};

async function failureOf(work: Promise<unknown>): Promise<string> {
  const cause: unknown = await work.catch((error: unknown) => error);
  if (!(cause instanceof GitError)) throw new Error(`No GitError: ${String(cause)}`);
  return cause.stderr;
}

describe("a transport", () => {
  it.each([
    ["ext", (path: string) => `ext::${path} #`],
    ["file", (path: string) => `file://${path}/x`],
    ["ssh", () => "ssh://localhost:1/x"],
    ["git", () => "git://localhost:1/x"],
    ["ftp", () => "ftp://localhost:1/x"],
    ["http", () => "http://localhost:1/x"],
    ["made-up", () => "made-up::x"],
  ])("%s is refused, though the repository allows it", async (name, addressOf) => {
    const helper = join(folder, "git-remote-made-up");
    await writeFile(helper, `#!/bin/sh\nexec "${program}"\n`, { mode: 0o755 });
    configure({
      "protocol.allow": "always",
      [`protocol.${name}.allow`]: "always",
      [`url.${addressOf(program)}.insteadOf`]: "https://host.test/",
      "core.sshCommand": program,
      "core.gitProxy": program,
    });
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const call = { args: ["ls-remote", "https://host.test/"], transport: "https", env, signal } as const;
    expect(await failureOf(git(call))).toContain(`transport '${name}' not allowed`);
    expect(await readdir(folder)).not.toContain("executed");
  });

  it("is refused in a call that names none", async () => {
    const call = { args: ["ls-remote", "https://localhost:1/"], signal };
    expect(await failureOf(git(call))).toContain("transport 'https' not allowed");
  });
});

it("executes no hook, monitor, credential helper or signer of the repository", async () => {
  await writeFile(join(root, ".git", "hooks", "post-checkout"), `#!/bin/sh\nexec "${program}"\n`, {
    mode: 0o755,
  });
  configure({
    "core.hooksPath": join(root, ".git", "hooks"),
    "core.fsmonitor": program,
    "credential.helper": `!${program}`,
    "core.askPass": program,
    "commit.gpgSign": "true",
    "gpg.program": program,
    "user.name": "Ada",
    "user.email": "ada@example.com",
  });
  await git({ args: ["add", "a.txt"], signal });
  await git({ args: ["commit", "--quiet", "-m", "a"], signal });
  await git({ args: ["status", "--porcelain"], signal });
  await git({ args: ["checkout", "--quiet", "--detach", "HEAD"], signal });
  await failureOf(git({ args: ["credential", "fill"], input: "protocol=https\nhost=host.test\n\n", signal }));
  expect(await readdir(folder)).not.toContain("executed");
});
