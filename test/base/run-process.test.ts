import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ProcessCall, ProcessNotStartedError, runProcess } from "../../src/base/run-process.ts";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "run-process-")));
});
afterEach(() => rm(folder, { recursive: true }));

const shell = (script: string, call: Partial<ProcessCall> = {}) =>
  runProcess({
    command: "sh",
    args: ["-c", script],
    env: { PATH: process.env.PATH },
    folder,
    timeoutMs: 30_000,
    graceMs: 100,
    ...call,
  });

describe("a process", () => {
  it("that exits, whatever its exit code, says so with what it wrote", async () => {
    const end = await shell('read line; echo "$line in $(pwd)"; echo trouble >&2; exit 3', {
      input: "hello\n",
    });
    expect(end).toEqual({
      type: "exited",
      exitCode: 3,
      stdout: Buffer.from(`hello in ${folder}\n`),
      stderr: "trouble\n",
    });
  });

  it("waits while what it wrote is being taken, and stays until all is", async () => {
    const taken: number[] = [];
    let waiting = 0;
    const end = await shell("head -c 3000000 /dev/zero", {
      onOutput: async (chunk) => {
        waiting += 1;
        // What a pipe holds besides may still come when the process has exited.
        if (taken.length < 10) expect(waiting).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        waiting -= 1;
        taken.push(chunk.length);
      },
    });
    expect(end).toMatchObject({ type: "exited", exitCode: 0 });
    expect(taken.reduce((sum, bytes) => sum + bytes, 0)).toBe(3_000_000);
  });

  it("ends with what taking its output rejects with", async () => {
    const fault = new Error("No room.");
    const onOutput = () => Promise.reject(fault);
    await expect(shell("yes", { onOutput })).rejects.toBe(fault);
  });

  it("that a signal ended has no exit code", async () => {
    expect(await shell("kill -9 $$")).toMatchObject({ type: "killed", signalName: "SIGKILL" });
  });

  it("gets the environment that it was given, and nothing else", async () => {
    const end = await shell("env", { env: { PATH: process.env.PATH, GIVEN: "1", ABSENT: undefined } });
    const names = end.stdout
      .toString()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names).toContain("GIVEN");
    expect(
      names.filter((name) => !["PATH", "GIVEN", "PWD", "SHLVL", "_", "", "OLDPWD"].includes(name ?? "")),
    ).toEqual([]);
  });

  it("that takes too long is ended", async () => {
    expect(await shell("echo first; sleep 60", { timeoutMs: 300 })).toMatchObject({ type: "timed_out" });
  });

  it("writes into a file, where one is named", async () => {
    const outputFile = join(folder, "output");
    const end = await shell("head -c 3000000 /dev/zero; echo trouble >&2", {
      outputFile,
      maxOutputBytes: 4_000_000,
    });
    expect(end).toEqual({ type: "exited", exitCode: 0, stdout: Buffer.alloc(0), stderr: "trouble\n" });
    expect((await readFile(outputFile)).equals(Buffer.alloc(3_000_000))).toBe(true);
  });

  it("that writes too much into a file is ended, and what fits is in it", async () => {
    const outputFile = join(folder, "output");
    const end = await shell("while :; do echo 0123456789; done", { outputFile, maxOutputBytes: 15 });
    expect(end).toMatchObject({ type: "output_too_large", stdout: Buffer.alloc(0) });
    expect(await readFile(outputFile, "utf8")).toBe("0123456789\n0123");
  });

  it("is ended where the disk refuses its file, and the call rejects", async () => {
    const writing = shell("while :; do echo 0123456789; done", {
      outputFile: join(folder, "no-folder", "output"),
      maxOutputBytes: 1e12,
    });
    await expect(writing).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("that writes too much is ended, and what fits is kept", async () => {
    const end = await shell("while :; do echo 0123456789; done", { maxOutputBytes: 15 });
    expect(end).toMatchObject({ type: "output_too_large", stdout: Buffer.from("0123456789\n0123") });
  });

  it("that does not read its input ends as it likes", async () => {
    expect(await shell("exit 0", { input: Buffer.alloc(1_000_000) })).toMatchObject({ type: "exited" });
  });

  it("that cannot start is a typed error, with its cause", async () => {
    const missing = shell("", { command: join(folder, "missing") });
    await expect(missing).rejects.toBeInstanceOf(ProcessNotStartedError);
    await expect(missing).rejects.toMatchObject({
      code: "process_not_started",
      cause: expect.objectContaining({ code: "ENOENT" }),
    });
  });
});

describe("an abort", () => {
  it("ends the process group, and rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const running = shell(
      `trap '' TERM; (trap '' TERM; while :; do sleep 0.1; echo x >> beats; done) & touch up; wait`,
      { signal: controller.signal },
    );
    while (!(await readdir(folder)).includes("up")) await new Promise(setImmediate);
    controller.abort(new Error("enough"));
    // The group's pipes are closed, so that the child has ended as well.
    await expect(running).rejects.toThrow("enough");
  });

  it("that came first starts nothing", async () => {
    const signal = AbortSignal.abort(new Error("early"));
    await expect(shell("touch up", { signal })).rejects.toThrow("early");
    expect(await readdir(folder)).toEqual([]);
  });
});
