// The same files in a repository of git, and what git takes for the same work: each a process, as git is used.

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { opened } from "../../scripts/opened.ts";
import { median } from "../statistics.ts";
import { contentOf, FILES, pathOf } from "./big-workspace.ts";

const run = promisify(execFile);
const ROUNDS = 7;

export type GitFigures = {
  readonly listFolderMs: number;
  readonly allPathsMs: number;
  /** A merge of two commits that edit one file in other lines. */
  readonly mergeMs: number;
};

export async function measureGit(): Promise<GitFigures> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const remove = opened(() => rm(folder, { recursive: true, force: true }));
  const git = async (...args: readonly string[]) =>
    (await run("git", ["-C", folder, ...args], { maxBuffer: 100_000_000 })).stdout;
  await run("git", ["init", "--quiet", "--bare", folder]);
  const lines = contentOf(20_000).split("\n");
  const edited = (line: number) =>
    lines.map((text, at) => (at === line ? `${text} edited` : text)).join("\n");
  await fastImport(folder, edited);
  const figures = {
    listFolderMs: await medianOf(() => git("ls-tree", "main", "folder-7/part-3/")),
    allPathsMs: await medianOf(() => git("ls-tree", "-r", "--name-only", "main")),
    mergeMs: await medianOf(() => git("merge-tree", "--write-tree", "one", "other")),
  };
  await remove();
  return figures;
}

async function fastImport(folder: string, edited: (line: number) => string): Promise<void> {
  const importing = run("git", ["-C", folder, "fast-import", "--quiet"]);
  const input = importing.child.stdin;
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commit = (branch: string, from: string) =>
    `commit refs/heads/${branch}\ncommitter Bench <bench@bench.invalid> 0 +0000\n${data("files")}${from}`;
  input?.write(commit("main", ""));
  for (let index = 0; index < FILES; index += 1)
    input?.write(`M 100644 inline ${pathOf(index)}\n${data(contentOf(index))}`);
  for (const [branch, line] of [
    ["one", 0],
    ["other", 9],
  ] as const) {
    input?.write(commit(branch, "from refs/heads/main\n"));
    input?.write(`M 100644 inline ${pathOf(20_000)}\n${data(edited(line))}`);
  }
  input?.end();
  await importing;
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
