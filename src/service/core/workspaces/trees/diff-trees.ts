// The files that differ between two trees. Pure over its source.

import { compareBytes } from "../../../../base/byte-order.ts";
import { readTrees, type TreeSource } from "../objects/tree-source.ts";
import { type FileState, joinEntries } from "./join-entries.ts";

/** One of `before` and `after` is null where the file is in one tree only. */
export type TreeChange = {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
};

type FolderPair = { readonly prefix: string; readonly from: string | null; readonly to: string | null };

/** In the byte order of paths. Folders with one oid are not read; a level of folders is one request. Null is no tree. */
export async function diffTrees(
  source: TreeSource,
  from: string | null,
  to: string | null,
): Promise<readonly TreeChange[]> {
  const changes: TreeChange[] = [];
  let level: FolderPair[] = from === to ? [] : [{ prefix: "", from, to }];
  while (level.length > 0) {
    const oids = level.flatMap((pair) => [pair.from, pair.to]).filter((oid) => oid !== null);
    const treeOf = await readTrees(source, oids);
    const next: FolderPair[] = [];
    for (const pair of level) {
      const sides = [pair.from, pair.to].map((oid) => (oid === null ? [] : treeOf(oid)));
      for (const entry of joinEntries(sides)) {
        const path = pair.prefix + entry.name;
        if (entry.kind === "file") {
          const [before = null, after = null] = entry.states;
          changes.push({ path, before, after });
        } else {
          const [before = null, after = null] = entry.oids;
          next.push({ prefix: `${path}/`, from: before, to: after });
        }
      }
    }
    level = next;
  }
  return changes.sort((a, b) => compareBytes(a.path, b.path));
}
