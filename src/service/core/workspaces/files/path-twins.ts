// Twins among paths: new files of a copy that would be one with others on a system that ignores case, with each other, or with
// what its base has and the copy still has. What was written and is not saved is compared when the copy is saved.

import type { Core } from "../../core.ts";
import { findEntry, readTrees } from "../objects/tree-source.ts";
import { checkPortable, foldedName, type PathCollision } from "../paths/portable-path.ts";
import type { PathRefusal } from "../paths/workspace-path.ts";
import { keepingOf } from "../reach-workspace.ts";
import { namesByFolder, pathIn } from "../trees/find-unportable.ts";
import { type CopyView, findInView } from "./copy-view.ts";

/** Null where the service takes any path that git takes, and where nothing is wrong. */
export async function newPathFault(
  core: Core,
  view: CopyView,
  paths: readonly string[],
): Promise<PathRefusal | PathCollision | null> {
  if (!keepingOf(core).keepsPathsPortable) return null;
  for (const path of paths) {
    const checked = checkPortable(path);
    if (!checked.ok) return checked.refusal;
  }
  for (const [folder, names] of namesByFolder(paths)) {
    const base = await foldedNames(core, view, folder);
    const made = new Map<string, string>();
    for (const name of names) {
      const fold = foldedName(name);
      const known = base.get(fold) ?? [];
      const twin = made.get(fold) ?? null;
      made.set(fold, name);
      if (known.includes(name)) continue;
      const other = twin ?? (await stillThere(view, folder, known));
      if (other === null) continue;
      return { reason: "path_collision", path: pathIn(folder, name), other: pathIn(folder, other) };
    }
  }
  return null;
}

async function stillThere(view: CopyView, folder: string, names: readonly string[]): Promise<string | null> {
  for (const name of names) if ((await findInView(view, pathIn(folder, name))) !== null) return name;
  return null;
}

type FoldedNames = ReadonlyMap<string, readonly string[]>;

/** The names in a folder of the base. A tree never changes, so that they are made once. */
async function foldedNames(core: Core, { source, root }: CopyView, folder: string): Promise<FoldedNames> {
  const found = await findEntry(source, root, folder);
  if (found?.mode !== "40000") return new Map();
  const { cache } = keepingOf(core);
  const key = `folded names of ${found.oid}`;
  const cached = cache.get(key);
  if (isFolded(cached)) return cached;
  const folded = new Map<string, string[]>();
  const entries = (await readTrees(source, [found.oid]))(found.oid);
  for (const { name } of entries) {
    const fold = foldedName(name);
    folded.set(fold, [...(folded.get(fold) ?? []), name]);
  }
  cache.set(key, folded, 200 * entries.length);
  return folded;
}

function isFolded(value: unknown): value is FoldedNames {
  return value instanceof Map;
}
