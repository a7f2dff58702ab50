// Trees that are made and not kept yet, as if they were; and how much more there is in a tree than in another.

import { MissingObjectError } from "../objects/git-object.ts";
import type { ObjectSource } from "../objects/object-source.ts";
import { parseTree } from "../objects/tree-object.ts";
import type { TreeSource } from "../objects/tree-source.ts";
import type { TreeChange } from "../trees/diff-trees.ts";
import type { FileState } from "../trees/join-entries.ts";
import type { MadeObject } from "./merge-revisions.ts";

export function withMade(source: TreeSource, made: readonly MadeObject[]): TreeSource {
  const own = new Map(made.filter(({ kind }) => kind === "tree").map(({ oid, data }) => [oid, data]));
  return {
    trees: async (oids) => {
      const trees = new Map(await source.trees(oids.filter((oid) => !own.has(oid))));
      for (const oid of oids) {
        const data = own.get(oid);
        if (data !== undefined) trees.set(oid, parseTree(data));
      }
      return trees;
    },
  };
}

/** Throws a MissingObjectError where a file's contents are neither made nor kept. */
export async function countMore(
  source: ObjectSource,
  made: readonly MadeObject[],
  changes: readonly TreeChange[],
): Promise<{ readonly files: number; readonly bytes: number }> {
  const sizes = new Map(made.map(({ oid, data }) => [oid, data.byteLength]));
  const named = changes.flatMap(({ before, after }) => [before, after]).filter(isOfUs);
  const unknown = new Set(named.map(({ oid }) => oid).filter((oid) => !sizes.has(oid)));
  for (const [oid, size] of await source.sizes([...unknown])) sizes.set(oid, size);
  const sizeOf = (file: FileState | null) => {
    if (!isOfUs(file)) return 0;
    const size = sizes.get(file.oid);
    if (size === undefined) throw new MissingObjectError(file.oid);
    return size;
  };
  let [files, bytes] = [0, 0];
  for (const { before, after } of changes) {
    files += (after === null ? 0 : 1) - (before === null ? 0 : 1);
    bytes += sizeOf(after) - sizeOf(before);
  }
  return { files, bytes };
}

/** The commit of a submodule is no object of the workspace. */
function isOfUs(file: FileState | null): file is FileState {
  return file !== null && file.mode !== "160000";
}
