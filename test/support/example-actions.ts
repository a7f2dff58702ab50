// What the examples use of GitHub's own actions: a checkout by real git, and artifacts in memory.

import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import type { TestRepository } from "../../fakes/code-host/git-repository.ts";

/** Of one workflow run: an artifact's name → its files by name. */
export type Artifacts = Map<string, ReadonlyMap<string, Buffer>>;

export type RunnerActionOptions = {
  readonly inputs: Readonly<Record<string, string>>;
  readonly job: CodeHostJob;
  readonly artifacts: Artifacts;
  readonly repository: TestRepository;
};

/** Resolves with why it failed; null when it did not. */
export type RunnerAction = (options: RunnerActionOptions) => Promise<string | null>;

export const runnerActions: Readonly<Record<string, RunnerAction>> = {
  "actions/checkout": checkOut,
  "actions/upload-artifact": upload,
  "actions/download-artifact": download,
};

const run = promisify(execFile);

async function checkOut({ inputs, job, repository }: RunnerActionOptions): Promise<null> {
  const { GITHUB_WORKSPACE: root = "", GITHUB_SHA: sha = "" } = job.env;
  const git = async (args: readonly string[]) => await run("git", [...args], { cwd: root });
  const depth = inputs["fetch-depth"] === "0" ? ["--tags"] : ["--depth=1"];
  await git(["init", "--quiet", "."]);
  const every = inputs["fetch-depth"] === "0" ? ["+refs/heads/*:refs/remotes/origin/*"] : [];
  await git(["fetch", "--quiet", ...depth, `file://${repository.path}`, sha, ...every]);
  await git(["checkout", "--quiet", "--detach", sha]);
  return null;
}

async function upload({ inputs, artifacts }: RunnerActionOptions): Promise<string | null> {
  const { name = "artifact", path = "" } = inputs;
  const paths = path.split("\n").filter((line) => line !== "");
  const files = await Promise.all(
    paths.map(async (file): Promise<[string, Buffer]> => [basename(file), await readFile(file)]),
  );
  artifacts.set(name, new Map(files));
  return null;
}

async function download({ inputs, job, artifacts }: RunnerActionOptions): Promise<string | null> {
  const { name = "", path = job.env.GITHUB_WORKSPACE ?? "" } = inputs;
  const files = artifacts.get(name);
  if (files === undefined) return `Unable to find an artifact with the name "${name}".`;
  await mkdir(path, { recursive: true });
  for (const [file, content] of files) await writeFile(join(path, file), content);
  return null;
}
