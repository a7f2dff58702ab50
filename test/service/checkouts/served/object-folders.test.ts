// The objects that a node keeps of a workspace for git's clients: filled with what is missing, whole or not at all, and removed.

import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PackBoundError } from "../../../../src/service/checkouts/scratch/pack-writer.ts";
import { ObjectFolders } from "../../../../src/service/checkouts/served/object-folders.ts";
import type { ScratchObject } from "../../../../src/service/core/checkouts/git-scratch.ts";
import type { ServedRepository } from "../../../../src/service/core/checkouts/git-service.ts";
import { encodeCommit } from "../../../../src/service/core/workspaces/objects/commit-object.ts";
import { oidOf } from "../../../../src/service/core/workspaces/objects/git-object.ts";
import { encodeTree } from "../../../../src/service/core/workspaces/objects/tree-object.ts";
import { ManualClock } from "../../../support/clocks/manual-clock.ts";

const KEPT_MS = 600_000;
const signature = { name: "A", email: "a@example.org", at: 0 };

function objectOf(kind: ScratchObject["kind"], data: Uint8Array): ScratchObject {
  return { kind, data, oid: oidOf({ kind, data }) };
}

/** A history of commits, each with one file of its own. */
function historyOf(versions: readonly string[]): readonly (readonly ScratchObject[])[] {
  const made: ScratchObject[][] = [];
  for (const version of versions) {
    const blob = objectOf("blob", Buffer.from(version));
    const tree = objectOf("tree", encodeTree([{ mode: "100644", name: "file", oid: blob.oid }]));
    const parents =
      made
        .at(-1)
        ?.slice(0, 1)
        .map(({ oid }) => oid) ?? [];
    const data = encodeCommit({
      tree: tree.oid,
      parents,
      author: signature,
      committer: signature,
      message: version,
    });
    made.push([objectOf("commit", data), tree, blob]);
  }
  return made;
}

describe("objects that are kept for git's clients", () => {
  let folder: string;
  let clock: ManualClock;
  let folders: ObjectFolders;
  const given: string[][] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "agent-service-served-"));
    clock = new ManualClock();
    given.length = 0;
    const bounds = { maxObjects: 10, maxBytes: 1_000_000 };
    folders = new ObjectFolders({ folder, clock, limits: { bounds, maxKeptObjects: 7, keptMs: KEPT_MS } });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A workspace whose main is the newest of these versions. */
  function workspaceOf(versions: readonly string[], workspaceId = "w", failAt = Number.POSITIVE_INFINITY) {
    const commits = historyOf(versions);
    const repository: ServedRepository = {
      workspaceId,
      accountId: "a",
      refs: [{ name: "refs/heads/main", oid: commits.at(-1)?.[0]?.oid ?? "" }],
      history: async function* (_tips, isKnown) {
        const all = commits.flat().filter(({ oid }) => !isKnown(oid));
        given.push(all.map(({ kind }) => kind));
        for (const [at, object] of all.entries()) {
          if (at === failAt) throw new Error("The store failed.");
          yield object;
        }
      },
    };
    return repository;
  }

  const never = new AbortController().signal;
  it("are filled once, and then with what is new", async () => {
    const first = await folders.open(workspaceOf(["one", "two"]), never);
    first.release();
    const again = await folders.open(workspaceOf(["one", "two"]), never);
    again.release();
    const more = await folders.open(workspaceOf(["one", "two", "three"]), never);
    expect(more.path).toBe(first.path);
    expect(given).toEqual([
      ["commit", "tree", "blob", "commit", "tree", "blob"],
      ["commit", "tree", "blob"],
    ]);
    const packs = await readdir(join(more.path, "pack"));
    expect(packs.sort()).toEqual(["pack-1.idx", "pack-1.pack", "pack-2.idx", "pack-2.pack"]);
    for (const pack of ["pack-1.idx", "pack-2.idx"]) {
      execFileSync("git", ["verify-pack", join(more.path, "pack", pack)], { stdio: "pipe" });
    }
    more.release();
  });

  it("are whole or not there, for those that wait for each other, too", async () => {
    const failing = folders.open(workspaceOf(["one", "two"], "w", 4), never);
    const waiting = folders.open(workspaceOf(["one", "two"]), never);
    await expect(failing).rejects.toThrow("The store failed.");
    const { path, release } = await waiting;
    expect((await readdir(join(path, "pack"))).length).toBe(2);
    expect((await readdir(path)).sort()).toEqual(["pack"]);
    release();
    const gone = AbortSignal.abort(new Error("gone"));
    await expect(folders.open(workspaceOf(["one", "two", "three"]), gone)).rejects.toThrow("gone");
  });

  it("are bounded, in sum", async () => {
    (await folders.open(workspaceOf(["one", "two"]), never)).release();
    const tooMany = folders.open(workspaceOf(["one", "two", "three", "four"]), never);
    await expect(tooMany).rejects.toEqual(new PackBoundError("objects", 10));
  });

  it("stay while they are read, and go when nobody has asked for a while, or others need the room", async () => {
    const one = await folders.open(workspaceOf(["one"], "one"), never);
    clock.advance(KEPT_MS);
    (await folders.open(workspaceOf(["two"], "two"), never)).release();
    expect((await readdir(folder)).length).toBe(2);
    one.release();
    (await folders.open(workspaceOf(["three", "four"], "three"), never)).release();
    // Nine objects are more than are kept: those that were asked for longest ago are gone.
    await expect.poll(async () => (await readdir(folder)).sort()).toEqual(["three-3"]);
    await folders.forgetOld();
    expect((await readdir(folder)).sort()).toEqual(["three-3"]);
    clock.advance(KEPT_MS);
    await folders.forgetOld();
    expect(await readdir(folder)).toEqual([]);
  });
});
