// Objects that git needs to merge or compare trees: those in which they differ, as they are stored.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import type { GivenObject } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import { MissingObjectError } from "../objects/git-object.ts";
import { objectSource } from "../objects/object-source.ts";
import type { KeptObject } from "../objects/store-port.ts";
import { readTrees, type TreeSource } from "../objects/tree-source.ts";
import { joinEntries } from "../trees/join-entries.ts";

const SUBMODULE = "160000";

/** Trees and blobs, by what any two of the trees differ in. A level of folders is one request. */
export async function differingOids(
  source: TreeSource,
  roots: readonly string[],
): Promise<ReadonlySet<string>> {
  const oids = new Set<string>();
  let level: (readonly (string | null)[])[] = [roots];
  while (level.length > 0) {
    const trees = level.flat().filter((oid) => oid !== null);
    for (const oid of trees) oids.add(oid);
    const treeOf = await readTrees(source, trees);
    const next: (readonly (string | null)[])[] = [];
    for (const sides of level) {
      for (const entry of joinEntries(sides.map((oid) => (oid === null ? [] : treeOf(oid))))) {
        if (entry.kind === "folder") next.push(entry.oids);
        else
          for (const state of entry.states)
            if (state !== null && state.mode !== SUBMODULE) oids.add(state.oid);
      }
    }
    level = next;
  }
  oids.delete(EMPTY_TREE);
  return oids;
}

/** The objects for a scratch repository. Throws a MissingObjectError. */
export async function givenObjects(
  core: Core,
  workspaceId: string,
  oids: ReadonlySet<string>,
): Promise<readonly GivenObject[]> {
  const found = await core.store.committed.objects.find({ workspaceId, oids: [...oids] });
  if (found.length < oids.size) {
    const kept = new Set(found.map(({ oid }) => oid));
    throw new MissingObjectError([...oids].find((oid) => !kept.has(oid)) ?? "");
  }
  return found.map((object) => givenObject(core, workspaceId, object));
}

function givenObject(core: Core, workspaceId: string, { oid, kind, data, size }: KeptObject): GivenObject {
  if (data !== null) return { kind, oid, data };
  return {
    kind: "blob",
    oid,
    size,
    open: async function* () {
      yield* (await objectSource(core, workspaceId).open(oid)).content;
    },
  };
}
