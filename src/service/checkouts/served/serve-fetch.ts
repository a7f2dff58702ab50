// Fetches of git's clients: `git upload-pack` over objects of this node's, with refs of the request's own. It keeps nothing between two
// requests, so that another node may answer the second one.
// Why: docs/decisions/182-workspaces-are-git-servers.md

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GitError } from "../../../base/git/git.ts";
import { packetLine } from "../../../base/git/packet-lines.ts";
import type { FetchRequest, ServedRepository } from "../../core/checkouts/git-service.ts";
import { removeFolder } from "../run-folder.ts";
import { PackWriter } from "../scratch/pack-writer.ts";
import { makeScratchRepository, type ScratchPlace } from "../scratch/scratch-repository.ts";
import { streamOutput } from "../stream-output.ts";
import type { ObjectFolders } from "./object-folders.ts";

const CONFIG = [
  "uploadpack.allowFilter=true",
  // A ref may move between two requests, and a partial clone asks for files: whoever may fetch may read every object of it.
  "uploadpack.allowAnySHA1InWant=true",
  "pack.windowMemory=64m",
  "pack.deltaCacheSize=32m",
];
const NOT_GIT = "The request is none of git's.";

export type ServedFetch = {
  readonly output: AsyncIterable<Uint8Array>;
  /** Ends what is at work, and removes the folder. Safe to repeat. */
  close(): Promise<void>;
};

type Serving = { readonly place: ScratchPlace; readonly folders: ObjectFolders; readonly timeoutMs: number };

/** Rejects with the signal's reason, and as opening the objects does. */
export async function serveFetch(
  { place, folders, timeoutMs }: Serving,
  { repository, protocol, input, asksForRefs }: FetchRequest,
  signal: AbortSignal,
): Promise<ServedFetch> {
  const { folder, git } = await makeScratchRepository(place, { name: "fetch", timeoutMs, signal });
  let release = () => {};
  let closing: Promise<void> | null = null;
  const left = new AbortController();
  const close = () => {
    left.abort();
    closing ??= removeFolder(folder.path).finally(release);
    return closing;
  };
  try {
    if (input === null || asksForRefs) await addTips(repository, folder.git);
    else {
      const objects = await folders.open(repository, signal);
      release = objects.release;
      await writeFile(join(folder.git, "objects", "info", "alternates"), `${objects.path}\n`);
    }
    await writeRefs(repository, folder.git);
    const advertise = input === null ? ["--advertise-refs"] : [];
    const output = streamOutput(git, {
      args: ["upload-pack", "--strict", "--stateless-rpc", ...advertise, folder.git],
      config: CONFIG,
      env: protocol === null ? {} : { GIT_PROTOCOL: protocol },
      ...(input === null ? {} : { input }),
      signal: AbortSignal.any([signal, left.signal]),
    });
    return { output: endingWell(output), close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** Git tells its client what it refuses, and then fails. */
async function* endingWell(output: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  try {
    for await (const chunk of output) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    if (!(cause instanceof GitError) || cause.code !== "git_failed") throw cause;
    if (bytes === 0) yield packetLine(`ERR ${NOT_GIT}`);
  }
}

/** Git reads the kind of what a ref names, and nothing below it. */
async function addTips({ refs, history }: ServedRepository, gitFolder: string): Promise<void> {
  const tips = new Set(refs.map(({ oid }) => oid));
  const path = join(gitFolder, "objects", "pack", "pack-tips");
  const bounds = { maxObjects: tips.size, maxBytes: Number.MAX_SAFE_INTEGER };
  const writer = await PackWriter.open({ ...bounds, path: `${path}.pack`, compression: 0 });
  try {
    for await (const object of history([...tips], (oid) => !tips.has(oid))) await writer.add(object);
    await writer.finish(`${path}.idx`);
  } finally {
    await writer.close();
  }
}

/** As `git pack-refs` writes them: in the order of their bytes. */
async function writeRefs({ refs }: ServedRepository, gitFolder: string): Promise<void> {
  const sorted = refs.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const lines = sorted.map(({ name, oid }) => `${oid} ${name}\n`);
  const head = "# pack-refs with: peeled fully-peeled sorted \n";
  await writeFile(join(gitFolder, "packed-refs"), head + lines.join(""));
}
