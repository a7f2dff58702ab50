// Unportable paths that a tree has more than another: what was there before stays. Pure over its source.

import { listFolder, type TreeSource } from "../objects/tree-source.ts";
import { checkPortable, foldedName, type PathCollision } from "../paths/portable-path.ts";
import type { PathRefusal } from "../paths/workspace-path.ts";
import type { TreeChange } from "./diff-trees.ts";

type TreesCompared = {
  readonly before: string;
  readonly after: string;
  readonly changes: readonly TreeChange[];
};

/** The first path that is new and not portable. Null where there is none. */
export async function findUnportable(
  source: TreeSource,
  compared: TreesCompared,
): Promise<PathRefusal | PathCollision | null> {
  for (const path of addedPaths(compared)) {
    const checked = checkPortable(path);
    if (!checked.ok) return checked.refusal;
  }
  return await findCollision(source, compared);
}

/** Two names that are one on some systems, one of them new. Null where there are none. */
export async function findCollision(
  source: TreeSource,
  compared: TreesCompared,
): Promise<PathCollision | null> {
  const { before, after } = compared;
  for (const [folder, names] of namesByFolder(addedPaths(compared))) {
    const now = (await listFolder(source, after, folder)) ?? [];
    const byFold = new Map<string, string[]>();
    for (const { name } of now) {
      const fold = foldedName(name);
      byFold.set(fold, [...(byFold.get(fold) ?? []), name]);
    }
    const twins = [...names].filter((name) => (byFold.get(foldedName(name)) ?? []).length > 1);
    if (twins.length === 0) continue;
    const had = new Set(((await listFolder(source, before, folder)) ?? []).map(({ name }) => name));
    for (const name of twins) {
      const other = byFold
        .get(foldedName(name))
        ?.find((one) => one !== name && !(had.has(one) && had.has(name)));
      if (other === undefined) continue;
      return { reason: "path_collision", path: pathIn(folder, name), other: pathIn(folder, other) };
    }
  }
  return null;
}

function addedPaths({ changes }: TreesCompared): readonly string[] {
  return changes.filter(({ before, after }) => before === null && after !== null).map(({ path }) => path);
}

/** The names on the way to the paths, by the folder that they are in. */
export function namesByFolder(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const path of paths) {
    let folder = "";
    for (const segment of path.split("/")) {
      const known = names.get(folder) ?? new Set();
      names.set(folder, known.add(segment));
      folder = pathIn(folder, segment);
    }
  }
  return names;
}

export function pathIn(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
