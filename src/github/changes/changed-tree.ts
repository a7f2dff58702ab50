// The run's patch as a tree, and that tree on a branch that has gone on since. What nobody may change on his own is
// looked for here again, whichever service made the patch.

import { type PathGuard, protectedPathGuard } from "../../contract/protected-paths.ts";
import { Kept, namedPaths } from "./kept.ts";
import type { Remote } from "./remote.ts";
import type { ScratchRepository } from "./scratch-repository.ts";

export type Patch = { readonly baseSha: string; readonly patch: string };

/** Trees of the commit that the run began with, without and with its changes. */
export type ChangedTree = { readonly base: string; readonly changed: string };

const isProtected: PathGuard = protectedPathGuard();

/** Rejects with Kept for a patch that does not apply or that changes what is protected. */
export async function changedTree(
  { scratch, remote }: { scratch: ScratchRepository; remote: Remote },
  { baseSha, patch }: Patch,
): Promise<ChangedTree> {
  if (!(await remote.fetch(baseSha))) {
    throw new Kept(
      "patch_unusable",
      `The changes were not pushed: they begin with commit ${baseSha.slice(0, 7)}, which GitHub has not got any more. ` +
        "Ask again, on the commits that there are now.",
    );
  }
  const base = await scratch.treeOf(baseSha);
  const changed = patch === "" ? base : await scratch.patchedTree(baseSha, patch);
  if (changed === null) {
    throw new Kept(
      "patch_unusable",
      `The changes were not pushed: the patch does not apply to commit ${baseSha.slice(0, 7)}, or leads out of the ` +
        "repository. Ask again; a service that goes on sending such patches is broken.",
    );
  }
  const forbidden = (await scratch.changes(base, changed)).filter(({ path }) => isProtected(shown(path)));
  if (forbidden.length > 0) throw refuseProtected(forbidden.map(({ path }) => shown(path)));
  return { base, changed };
}

export type Onto = {
  /** Trees. */
  readonly base: string;
  readonly changed: string;
  readonly tip: string;
  readonly branch: string;
};

/**
 * The change from `base` to `changed`, made to `tip`. Rejects with Kept where both changed the same lines, or where a
 * file that was changed has become a protected one.
 */
export async function treeOnto(
  scratch: ScratchRepository,
  { base, changed, tip, branch }: Onto,
): Promise<string> {
  const merged = await scratch.merge({ base, ours: tip, theirs: changed });
  if (merged.type === "conflict") {
    throw new Kept(
      "changes_conflict",
      `The changes were not pushed: ${branch} was changed in the same places since, in ${namedPaths(merged.paths)}. ` +
        "Ask again, on the commits that it has now.",
    );
  }
  const moved = (await scratch.changes(tip, merged.tree)).filter(({ path }) => isProtected(shown(path)));
  if (moved.length > 0) {
    // What came with the change's own side was somebody else's, and was there before.
    const foreign = new Set((await scratch.changes(changed, merged.tree)).map(({ path }) => path));
    const forbidden = moved.filter(({ path }) => foreign.has(path));
    if (forbidden.length > 0) throw refuseProtected(forbidden.map(({ path }) => shown(path)));
  }
  return merged.tree;
}

function refuseProtected(paths: readonly string[]): Kept {
  return new Kept(
    "patch_unusable",
    `The changes were not pushed: the patch changes ${namedPaths(paths)}, which only people change. Look at it, and ` +
      "apply it by hand.",
  );
}

function shown(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}
