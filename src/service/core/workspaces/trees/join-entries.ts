// Folders of several trees side by side: the entry of each under a name. A file and a folder of one name are two things. Pure.

import type { FileMode, TreeEntry } from "../objects/tree-object.ts";

export type FileState = { readonly mode: FileMode; readonly oid: string };

/** One state for each tree, null where it has none. */
type JoinedEntry =
  | { readonly kind: "file"; readonly name: string; readonly states: readonly (FileState | null)[] }
  | { readonly kind: "folder"; readonly name: string; readonly oids: readonly (string | null)[] };

/** Only what is not the same everywhere. */
export function joinEntries(sides: readonly (readonly TreeEntry[])[]): readonly JoinedEntry[] {
  const files = new Map<string, (FileState | null)[]>();
  const folders = new Map<string, (string | null)[]>();
  sides.forEach((entries, side) => {
    for (const { mode, name, oid } of entries) {
      if (mode === "40000") slotsOf(folders, name, sides.length)[side] = oid;
      else slotsOf(files, name, sides.length)[side] = { mode, oid };
    }
  });
  const joined: JoinedEntry[] = [];
  for (const [name, states] of files) {
    if (!states.every((state) => isSameFile(state, states[0] ?? null))) {
      joined.push({ kind: "file", name, states });
    }
  }
  for (const [name, oids] of folders) {
    if (!oids.every((oid) => oid === oids[0])) joined.push({ kind: "folder", name, oids });
  }
  return joined;
}

export function isSameFile(a: FileState | null, b: FileState | null): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}

function slotsOf<State>(slots: Map<string, (State | null)[]>, name: string, count: number): (State | null)[] {
  const known = slots.get(name);
  if (known !== undefined) return known;
  const made = new Array<State | null>(count).fill(null);
  slots.set(name, made);
  return made;
}
