// One thin pack of a few commits with their files, without objects that the service has.

import { open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Git, type GitCall, GitError, type GitOutput } from "../../base/git/git.ts";
import type { CommitSelection } from "./select-commits.ts";

type PackOptions = {
  readonly git: Git;
  /** A git folder of our own: where its histories end is written anew. */
  readonly gitFolder: string;
  readonly selection: CommitSelection;
  /** The path of the pack. */
  readonly path: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

export type Pack = { readonly bytes: number; readonly objects: number };

/** Of the job's two minutes: deltas of a large repository take their time. */
const TIMEOUT_FACTOR = 5;
/** Its magic word, its version and its number of objects. */
const HEADER_BYTES = 12;

const packing = [
  // A bitmap knows nothing of where our histories end.
  "pack.useBitmaps=false",
  "core.commitGraph=false",
  // For each of git's threads; a runner has few gigabytes.
  "pack.windowMemory=256m",
];

type Selected = Pick<PackOptions, "git" | "gitFolder" | "selection" | "signal">;

/** Null where it would have more than `maxBytes`. Rejects with GitError. */
export async function packCommits(options: PackOptions): Promise<Pack | null> {
  const { path, maxBytes } = options;
  try {
    await callWithin(options, {
      // "--shallow" compares also with what the service holds beside the history that travels.
      args: ["pack-objects", "--quiet", "--revs", "--thin", "--shallow", "--delta-base-offset", "--stdout"],
      outputFile: path,
      maxOutputBytes: maxBytes,
    });
  } catch (cause) {
    if (cause instanceof GitError && cause.code === "git_output_too_large") return null;
    throw cause;
  }
  return { bytes: (await stat(path)).size, objects: await objectsIn(path) };
}

/** About how many bytes the commits have, as they lie in the checkout. Null where this git cannot tell. */
export async function estimateBytes(selected: Selected): Promise<number | null> {
  const { stdout, exitCode } = await callWithin(selected, {
    // Git 2.31 and newer: https://git-scm.com/docs/git-rev-list
    args: ["rev-list", "--objects", "--disk-usage", "--stdin"],
    allowedExitCodes: [0, 128, 129],
  });
  const bytes = Number.parseInt(stdout.toString("latin1"), 10);
  return exitCode === 0 && Number.isSafeInteger(bytes) ? bytes : null;
}

/** The files that travel and are not here, by git's names of them. */
export async function missingFiles(selected: Selected): Promise<readonly string[]> {
  const { stdout } = await callWithin(selected, {
    args: ["rev-list", "--objects-edge-aggressive", "--missing=print", "--stdin"],
  });
  const lines = stdout.toString("latin1").split("\n");
  return lines.filter((line) => line.startsWith("?")).map((line) => line.slice(1));
}

/** Calls git on the selection in a folder whose histories end where its history does, and where they did before. */
async function callWithin(
  { git, gitFolder, selection, signal }: Selected,
  call: Pick<GitCall, "args" | "outputFile" | "maxOutputBytes" | "allowedExitCodes">,
): Promise<GitOutput> {
  const shallow = join(gitFolder, "shallow");
  const before = await readFile(shallow).catch(() => null);
  try {
    // In a shallow folder git names no parents of the oldest commits: the selection cannot know that they are ends.
    const own = before === null ? [] : before.toString("latin1").split("\n");
    const ends = new Set([...selection.ends, ...own.filter((commit) => commit !== "")]);
    await writeFile(shallow, [...ends].map((commit) => `${commit}\n`).join(""));
    const input = revisionsOf(selection);
    return await git({ ...call, config: packing, input, timeoutFactor: TIMEOUT_FACTOR, signal });
  } finally {
    await (before === null ? rm(shallow, { force: true }) : writeFile(shallow, before));
  }
}

function revisionsOf({ sent, held }: CommitSelection): string {
  return [...sent, ...held.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join("");
}

async function objectsIn(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer.readUInt32BE(HEADER_BYTES - 4);
  } finally {
    await file.close();
  }
}
