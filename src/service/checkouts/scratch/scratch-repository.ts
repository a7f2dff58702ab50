// A bare repository for one call: made without a process, filled with the objects of the call, removed at its end.

import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createGit, type Git } from "../../../base/git/git.ts";
import { makeRepository } from "../../../base/git/make-repository.ts";
import type { GivenObject, ScratchObject } from "../../core/checkouts/git-scratch.ts";
import { makeRunFolder, type RunFolder } from "../run-folder.ts";
import { type PackBounds, PackWriter } from "./pack-writer.ts";

const PERSON = "agent-service <agent-service@invalid> 0 +0000";
/** An object that git holds in memory. */
const LARGEST_ALLOCATION = "512m";

export type ScratchPlace = {
  /** The folder of all scratch repositories. Made when missing; belongs to one service process. */
  readonly folder: string;
  /** Variables of which git gets `PATH` and nothing else that matters without a server. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A name looked up in `PATH`, or a path. Default "git". */
  readonly gitPath?: string;
};

type ScratchRepository = { readonly folder: RunFolder; readonly git: Git };

export type ScratchLimits = PackBounds & {
  /** For all of a call, the wait for its turn not included. */
  readonly timeoutMs: number;
};

/** The repository and the bounds that a call works with. */
export type ScratchWork = ScratchRepository & {
  readonly limits: ScratchLimits;
  readonly signal: AbortSignal;
  /** Leaves the folder, once the call has succeeded, to whom calls what is returned. */
  readonly keep: () => () => Promise<void>;
};

/** The caller removes `folder.path`. */
export async function makeScratchRepository(
  place: ScratchPlace,
  {
    name,
    timeoutMs,
    signal,
  }: { readonly name: string; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ScratchRepository> {
  const folder = await makeRunFolder(place.folder, name);
  const git = createGit({
    environment: place.environment,
    maxAllocation: LARGEST_ALLOCATION,
    config: ["core.looseCompression=0", "core.fsync=none", "pack.threads=1"],
    gitFolder: folder.git,
    treeFolder: null,
    home: folder.home,
    timeoutMs,
    ...(place.gitPath === undefined ? {} : { gitPath: place.gitPath }),
  });
  await makeRepository({ git, gitFolder: folder.git, objectFormat: "sha1", isBare: true, signal });
  return { folder, git };
}

/** Adds the objects as one pack. Throws a PackBoundError, and the signal's reason. */
export async function addObjects(
  { folder, limits, signal }: ScratchWork,
  objects: Iterable<GivenObject>,
): Promise<void> {
  const path = join(folder.git, "objects", "pack", "pack-given");
  const writer = await PackWriter.open({ ...limits, path: `${path}.pack`, compression: 0 });
  try {
    for (const object of objects) {
      signal.throwIfAborted();
      await writer.add(object);
    }
    await writer.finish(`${path}.idx`);
  } finally {
    await writer.close();
  }
}

/** A branch that git's messages call by that name. */
export async function addBranch(
  { folder }: ScratchRepository,
  branch: { readonly name: string; readonly oid: string },
): Promise<void> {
  await writeFile(join(folder.git, "refs", "heads", branch.name), `${branch.oid}\n`);
}

/** A commit of a tree, by nobody, at no time. */
export function commitOf(tree: string, parents: readonly string[], subject: string): ScratchObject {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${PERSON}`,
    `committer ${PERSON}`,
  ];
  const data = Buffer.from(`${lines.join("\n")}\n\n${subject}\n`);
  const oid = createHash("sha1").update(`commit ${data.length}\0`).update(data).digest("hex");
  return { kind: "commit", oid, data };
}
