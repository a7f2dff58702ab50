// Makes folders out of copies: a pack of the objects, written without a process, and one checkout by git, which writes the files
// with its own care for their paths and knows from then on, by its index, which of them were not touched.
// Why: docs/decisions/088-a-run-works-in-a-copy-by-a-lease.md

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { GitError } from "../../../base/git/git.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { CheckoutRefusal } from "../../core/checkouts/checkout.ts";
import type { CopyFolder, CopyFolderSource, CopyFolders } from "../../core/checkouts/copy-folders.ts";
import { StorageFullError } from "../../core/ports/storage-full.ts";
import { isFullDisk, sayingFull } from "../full-disk.ts";
import { gitCheckout } from "../git-checkout.ts";
import { makeRunFolder, type RunFolder, removeFolder } from "../run-folder.ts";
import { gitOf, type RunGitOptions } from "../run-git.ts";
import { PackBoundError, PackWriter } from "../scratch/pack-writer.ts";
import { FolderState } from "./folder-state.ts";

const BRANCH = "refs/heads/main";
const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
/** Git reads a file whole to search it. */
const MAX_SEARCHED_FILE_BYTES = 5_000_000;
/** An index of a pack, as it is written here, counts no further. */
const MAX_PACK_BYTES = 2 ** 31 - 1;
/** For thousands of files: fewer are written sooner by one process. */
const IN_PARALLEL = ["checkout.workers=0", "checkout.thresholdForParallelism=500"];

export type CopyFoldersOptions = RunGitOptions & {
  /** The bound of one copy: its files, folders and commits. */
  readonly maxObjects: number;
};

export function copyFolders(options: CopyFoldersOptions): CopyFolders {
  const settings = { ...options, folder: resolve(options.folder) };
  return { open: (source, signal) => openFolder(settings, { source, signal }) };
}

async function openFolder(
  options: CopyFoldersOptions,
  { source, signal }: { source: CopyFolderSource; signal: AbortSignal },
): Promise<Result<CopyFolder, CheckoutRefusal>> {
  signal.throwIfAborted();
  const folder = await sayingFull(options.folder, () =>
    makeRunFolder(options.folder, source.runId, source.earlierFolder),
  );
  try {
    await makeRepository(folder, { ...options, source, signal });
    const unsearched = source.largeFiles(MAX_SEARCHED_FILE_BYTES);
    const git = gitOf(options, folder);
    const writeFiles = async (of: string, env: Readonly<Record<string, string>> = {}) => {
      const args = ["read-tree", "--reset", "-u", of];
      await git({ args, env, config: IN_PARALLEL, timeoutFactor: 5, signal });
    };
    await writeFiles(source.headSha);
    const index = join(folder.path, "kept.index");
    await copyFile(join(folder.git, "index"), index);
    if (source.treeSha !== undefined) await writeFiles(source.treeSha, { GIT_INDEX_FILE: index });
    const at = { sha: source.headSha, ref: BRANCH, event: "none", baseRef: null };
    const checkout = gitCheckout({ git, folder, source: at, isTrusted: true, unsearched, signal });
    const state = new FolderState({ ...source, git, folder, index });
    return ok({ checkout, changes: (end) => state.changes(end) });
  } catch (cause) {
    const isFull = await isFullDisk(cause, folder.path);
    await removeFolder(folder.path);
    signal.throwIfAborted();
    if (isFull) throw new StorageFullError(cause);
    return refused(refusalOf(cause, source));
  }
}

/** A repository with one pack, made without a process. */
async function makeRepository(
  folder: RunFolder,
  { source, maxObjects, signal }: CopyFoldersOptions & { source: CopyFolderSource; signal: AbortSignal },
): Promise<void> {
  const packs = join(folder.git, "objects", "pack");
  await Promise.all([
    mkdir(packs, { recursive: true }),
    mkdir(join(folder.git, "refs", "heads"), { recursive: true }),
  ]);
  const path = join(packs, `pack-${source.headSha}`);
  const bounds = { maxObjects, maxBytes: MAX_PACK_BYTES };
  const writer = await PackWriter.open({ ...bounds, path: `${path}.pack`, compression: 0 });
  try {
    for await (const object of source.objects) {
      signal.throwIfAborted();
      await writer.add(object);
    }
    await writer.finish(`${path}.idx`);
  } finally {
    await writer.close();
  }
  const shallow = source.shallow();
  await Promise.all([
    writeFile(join(folder.git, "HEAD"), `ref: ${BRANCH}\n`),
    writeFile(join(folder.git, "config"), CONFIG),
    writeFile(join(folder.git, BRANCH), `${source.headSha}\n`),
    ...(shallow.length === 0 ? [] : [writeFile(join(folder.git, "shallow"), `${shallow.join("\n")}\n`)]),
  ]);
}

function refusalOf(cause: unknown, { copyId }: CopyFolderSource): CheckoutRefusal {
  if (cause instanceof PackBoundError) {
    const what = `it has more than ${cause.allowed.toLocaleString("en-US")} ${cause.what}`;
    const detail = `The files of copy ${copyId} could not be laid out: ${what}, with its folders and recent history.`;
    return { reason: "clone_too_large", detail };
  }
  if (!(cause instanceof GitError)) throw cause;
  const detail = `The files of copy ${copyId} could not be laid out. ${cause.message} Tell the service's operator.`;
  return { reason: "checkout_failed", detail };
}
