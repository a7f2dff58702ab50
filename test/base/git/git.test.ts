import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGit, type Git, GitError } from "../../../src/base/git/git.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "git-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

const signal = new AbortController().signal;

/** A program in git's place; its arguments are git's. */
async function standIn(script: string, options: { timeoutMs?: number } = {}): Promise<Git> {
  const gitPath = join(folder, "stand-in");
  await writeFile(gitPath, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const settings = {
    environment: { PATH: process.env.PATH },
    home: folder,
    gitFolder: folder,
    treeFolder: folder,
  };
  return createGit({ ...settings, gitPath, graceMs: 100, ...options });
}

async function errorOf(work: Promise<unknown>): Promise<GitError> {
  const error: unknown = await work.catch((cause: unknown) => cause);
  if (!(error instanceof GitError)) throw new Error(`No GitError: ${String(error)}`);
  return error;
}

describe("output", () => {
  it("is returned whole up to the limit", async () => {
    const git = await standIn("printf 12345");
    const output = await git({ args: ["log"], signal, maxOutputBytes: 5 });
    expect(output).toEqual({ stdout: Buffer.from("12345"), complete: true, exitCode: 0 });
  });

  it("ends the process beyond the limit, failing or keeping what fits", async () => {
    const git = await standIn("while :; do echo 0123456789; done");
    const error = await errorOf(git({ args: ["log"], signal, maxOutputBytes: 1000 }));
    expect(error.code).toBe("git_output_too_large");
    expect(error.message).toBe("git log wrote more than 1000 bytes.");
    const kept = await git({ args: ["log"], signal, maxOutputBytes: 15, onOverflow: "keep" });
    expect(kept).toEqual({ stdout: Buffer.from("0123456789\n0123"), complete: false, exitCode: null });
  });

  it("of a failure is kept apart from the message, its last 4 KB alone", async () => {
    const git = await standIn(
      "i=0; while [ $i -lt 2000 ]; do echo noise >&2; i=$((i+1)); done; echo fatal: x >&2; exit 3",
    );
    const error = await errorOf(git({ args: ["fetch", "https://name:s3cret@host"], signal }));
    expect(error.message).toBe("git fetch ended with 3.");
    expect(error.stderr.length).toBe(4096);
    expect(error.stderr).toMatch(/fatal: x\n$/);
  });

  it("may come with an exit code that the caller expects", async () => {
    const git = await standIn("exit 1");
    await git({ args: ["grep"], signal, allowedExitCodes: [0, 1] });
    expect((await errorOf(git({ args: ["grep"], signal }))).code).toBe("git_failed");
  });
});

describe("time", () => {
  it("that is up ends the process, and the children that it left", async () => {
    const git = await standIn(
      `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & touch ${"$HOME"}/up; wait`,
      { timeoutMs: 300 },
    );
    const error = await errorOf(git({ args: ["ls-files"], signal }));
    expect(error).toMatchObject({
      code: "git_timed_out",
      message: "git ls-files took longer than the 0.3 s that it may.",
    });
    expect(await readdir(folder)).toContain("up");
    expect(await membersOf(folder)).toEqual([]);
  });

  it("is longer for a call with a timeout factor", async () => {
    const git = await standIn("sleep 0.5", { timeoutMs: 50 });
    expect((await errorOf(git({ args: ["grep"], signal }))).code).toBe("git_timed_out");
    await git({ args: ["update-index"], signal, timeoutFactor: 200 });
  });
});

describe("an abort", () => {
  it("ends a process that ignores SIGTERM, and the children that it left", async () => {
    const git = await standIn(
      `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo ready >&2; touch ${"$HOME"}/up; wait`,
    );
    const controller = new AbortController();
    const running = git({ args: ["fetch"], signal: controller.signal });
    while (!(await readdir(folder)).includes("up")) await new Promise(setImmediate);
    expect(await membersOf(folder)).not.toEqual([]);
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    expect(await membersOf(folder)).toEqual([]);
  });

  it("that came first starts nothing", async () => {
    const git = await standIn("touch $HOME/up");
    await expect(git({ args: ["log"], signal: AbortSignal.abort(new Error("early")) })).rejects.toThrow(
      "early",
    );
    expect(await readdir(folder)).not.toContain("up");
  });
});

async function membersOf(home: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found: string[] = [];
  for (const id of ids) {
    const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
    if (environment.includes(`HOME=${home}\0`)) found.push(id);
  }
  return found;
}
