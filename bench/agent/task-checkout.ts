// A task's repository as a git checkout in a folder of its own, and its hidden check, executed there.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import { opened } from "../../scripts/opened.ts";
import { ProcessNotStartedError, runProcess } from "../../src/base/run-process.ts";
import { type AgentTask, type Files, type FixTask, type Toolchain, toolchains } from "./task.ts";

const CHECK_MS = 120_000;
const MAX_OUTPUT_BYTES = 100_000;
const VERSION: Readonly<Record<Toolchain, readonly string[]>> = {
  node: ["node", "--version"],
  python3: ["python3", "--version"],
  go: ["go", "version"],
};

export type TaskCheckout = {
  readonly root: string;
  /** Empty, beside the checkout: a home, or a place for results. */
  readonly scratch: string;
  remove(): Promise<void>;
};

/** A review has its change as the last commit. */
export async function checkOutTask(task: AgentTask): Promise<TaskCheckout> {
  const folder = await mkdtemp(join(tmpdir(), "agent-task-"));
  const remove = opened(() => rm(folder, { recursive: true, force: true }));
  const [root, scratch] = [join(folder, "checkout"), join(folder, "scratch")];
  const repository = new TestRepository(folder, "task.git");
  const first = repository.commit({ files: task.files, subject: "Begin" });
  if (task.kind === "review") {
    const files = { ...task.files, ...task.change };
    repository.commit({ files, parents: [first], subject: "Add what was asked for", day: 1 });
  }
  repository.git(["clone", "--quiet", repository.path, root]);
  await mkdir(scratch);
  return { root, scratch, remove };
}

export async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** Whether the repository passes its hidden check, which is written over what is there. */
export async function passesCheck(task: FixTask, { root, scratch }: TaskCheckout): Promise<boolean> {
  await writeFiles(root, task.check);
  return await succeeds(task.command, { root, home: scratch });
}

/** Whether the command ends with exit code 0. Its environment holds no secret of this process. */
export async function succeeds(
  [program = "", ...args]: readonly string[],
  { root, home }: { root: string; home: string },
): Promise<boolean> {
  try {
    const ended = await runProcess({
      command: program,
      args,
      folder: root,
      env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", ...goEnvironment() },
      timeoutMs: CHECK_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
    return ended.type === "exited" && ended.exitCode === 0;
  } catch (cause) {
    if (cause instanceof ProcessNotStartedError) return false;
    throw cause;
  }
}

/** Without a network; with the cache of whoever executes this, as a new one takes the standard library half a minute. */
function goEnvironment(): Readonly<Record<string, string>> {
  const cache = process.env.GOCACHE ?? join(homedir(), ".cache/go-build");
  return { GOCACHE: cache, GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" };
}

/** Those whose program starts. */
export async function foundToolchains(): Promise<ReadonlySet<Toolchain>> {
  const found = await Promise.all(
    toolchains.map(async (name) => {
      return (await succeeds(VERSION[name], { root: tmpdir(), home: tmpdir() })) ? [name] : [];
    }),
  );
  return new Set(found.flat());
}
