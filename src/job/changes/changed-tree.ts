// The run's patch as a tree, and that tree merged onto a branch that has moved since. Protected paths are checked here
// again, whichever service made the patch.

import { type PathGuard, protectedPathGuard } from "../../contract/paths/path-rules.ts";
import { Kept, namedPaths } from "./kept.ts";
import type { Remote } from "./remote.ts";
import type { ScratchRepository, TreeChange } from "./scratch-repository.ts";

type Patch = { readonly baseSha: string; readonly patch: string };

/** Trees of the run's base commit, without and with its changes. */
export type ChangedTree = { readonly base: string; readonly changed: string };

const isProtectedPath: PathGuard = protectedPathGuard();
const SUBMODULE_MODE = "160000";

/** A submodule, even without an entry in .gitmodules, brings code that no reviewer of the change sees. */
function isProtected({ path, oldMode, newMode }: TreeChange): boolean {
  return [oldMode, newMode].includes(SUBMODULE_MODE) || isProtectedPath(shown(path));
}

/** Rejects with Kept for a patch that does not apply or that changes what is protected. */
export async function changedTree(
  { scratch, remote, hostName }: { scratch: ScratchRepository; remote: Remote; hostName: string },
  { baseSha, patch }: Patch,
): Promise<ChangedTree> {
  if (!(await remote.fetch(baseSha))) {
    throw new Kept(
      "patch_unusable",
      `The changes were not pushed: they begin with commit ${baseSha.slice(0, 7)}, which is not on ${hostName} any more. ` +
        "Run it again, on the commits that are there now.",
    );
  }
  const base = await scratch.treeOf(baseSha);
  const changed = patch === "" ? base : await scratch.patchedTree(baseSha, patch);
  if (changed === null) {
    throw new Kept(
      "patch_unusable",
      `The changes were not pushed: the patch does not apply to commit ${baseSha.slice(0, 7)}, or leads out of the ` +
        "repository. Run it again; if that happens every time, the service is broken.",
    );
  }
  const forbidden = (await scratch.changes(base, changed)).filter(isProtected);
  if (forbidden.length > 0) throw refuseProtected(forbidden.map(({ path }) => shown(path)));
  return { base, changed };
}

type Onto = {
  /** Trees. */
  readonly base: string;
  readonly changed: string;
  readonly tip: string;
  readonly branch: string;
};

/**
 * The change from `base` to `changed`, made to `tip`. Rejects with Kept where both changed the same lines, or where a
 * changed file is protected now.
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
        "Run it again, on the commits that it has now.",
    );
  }
  const moved = (await scratch.changes(tip, merged.tree)).filter(isProtected);
  if (moved.length > 0) {
    // Only what this change adds counts: the rest was on the branch before.
    const foreign = new Set((await scratch.changes(changed, merged.tree)).map(({ path }) => path));
    const forbidden = moved.filter(({ path }) => foreign.has(path));
    if (forbidden.length > 0) throw refuseProtected(forbidden.map(({ path }) => shown(path)));
  }
  return merged.tree;
}

function refuseProtected(paths: readonly string[]): Kept {
  return new Kept(
    "patch_unusable",
    `The changes were not pushed: the patch changes ${namedPaths(paths)}, which only people may change. Check it, and ` +
      "apply it by hand.",
  );
}

function shown(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}
