// The trees that a call is given: what they name, and whether all is there in which they differ. Git takes a tree that is
// missing for an empty one, in some versions: a merge would delete its files. Pure.

import { EMPTY_TREE } from "../../../base/git/object-names.ts";
import { type GivenObject, ScratchError } from "../../core/checkouts/git-scratch.ts";

const SHA1_BYTES = 20;
const SPACE = 0x20;
const FOLDER = "40000";
const SUBMODULE = "160000";

/** Each character of a name is one of its bytes. */
export type NamedObject = { readonly mode: string; readonly name: string; readonly oid: string };

/** Throws a ScratchError where the bytes are no tree. */
export function namedBy(tree: Uint8Array, oidBytes = SHA1_BYTES): readonly NamedObject[] {
  const bytes = Buffer.from(tree.buffer, tree.byteOffset, tree.byteLength);
  const named: NamedObject[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(SPACE, at);
    const nul = space < 0 ? -1 : bytes.indexOf(0, space);
    const end = nul + 1 + oidBytes;
    if (nul < 0 || end > bytes.length) throw new ScratchError(`A tree of ${bytes.length} bytes is cut off.`);
    const mode = bytes.toString("latin1", at, space);
    const name = bytes.toString("latin1", space + 1, nul);
    named.push({ mode, name, oid: bytes.toString("hex", nul + 1, end) });
    at = end;
  }
  return named;
}

export function isSubmodule({ mode }: NamedObject): boolean {
  return mode === SUBMODULE;
}

/** Throws a ScratchError where a tree or a blob in which these trees differ was not given. */
export function checkGiven(roots: readonly string[], objects: readonly GivenObject[]): void {
  const given = new Map(objects.map((object) => [object.oid, object]));
  let level: (readonly (string | null)[])[] = [roots];
  while (level.length > 0) {
    const next: (readonly (string | null)[])[] = [];
    for (const sides of level) {
      if (areEqual(sides)) continue;
      for (const entries of joined(sides.map((oid) => treeOf(given, oid)))) {
        if (areEqual(entries.map((entry) => (entry === null ? null : `${entry.mode} ${entry.oid}`))))
          continue;
        for (const entry of entries) if (entry !== null && isFile(entry)) requireGiven(given, entry.oid);
        next.push(entries.map((entry) => (entry?.mode === FOLDER ? entry.oid : null)));
      }
    }
    level = next;
  }
}

function treeOf(given: ReadonlyMap<string, GivenObject>, oid: string | null): readonly NamedObject[] {
  if (oid === null || oid === EMPTY_TREE) return [];
  const object = requireGiven(given, oid);
  if (object.kind !== "tree" || !("data" in object)) throw new ScratchError(`Object ${oid} is no tree.`);
  return namedBy(object.data);
}

function requireGiven(given: ReadonlyMap<string, GivenObject>, oid: string): GivenObject {
  const object = given.get(oid);
  if (object === undefined) throw new ScratchError(`Object ${oid}, which is needed, was not given.`);
  return object;
}

function isFile({ mode }: NamedObject): boolean {
  return mode !== FOLDER && mode !== SUBMODULE;
}

/** Entries of each of the trees under each name. */
function joined(trees: readonly (readonly NamedObject[])[]): Iterable<readonly (NamedObject | null)[]> {
  const byName = new Map<string, (NamedObject | null)[]>();
  for (const [at, tree] of trees.entries()) {
    for (const entry of tree) {
      const entries = byName.get(entry.name) ?? trees.map(() => null);
      entries[at] = entry;
      byName.set(entry.name, entries);
    }
  }
  return byName.values();
}

function areEqual(sides: readonly (string | null)[]): boolean {
  return sides.every((side) => side === sides[0]);
}
