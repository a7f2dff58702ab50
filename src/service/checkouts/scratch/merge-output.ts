// Reads what `git merge-tree --write-tree --messages -z` prints. Pure.

import type { ConflictKind, MergeConflict, MergeSide, MovedFile } from "../../core/checkouts/git-scratch.ts";

type MergeOutput = {
  readonly tree: string;
  readonly conflicts: readonly MergeConflict[];
  readonly moved: readonly MovedFile[];
};

/** git's stable names of its messages. Where a path has several, the first of these counts. */
const kinds: ReadonlyMap<string, ConflictKind> = new Map([
  ["file/directory", "file_directory"],
  ["rename/rename", "rename_rename"],
  ["rename involved in collision", "rename_collision"],
  ["rename/delete", "rename_delete"],
  ["directory rename suggested", "file_location"],
  ["file in way of directory rename", "file_location"],
  ["directory rename collision", "file_location"],
  ["directory rename unclear split", "file_location"],
  ["distinct modes", "mode"],
  ["modify/delete", "modify_delete"],
  ["binary", "binary"],
  ["contents", "content"],
]);
const precedence: readonly ConflictKind[] = [...kinds.values(), "submodule", "other"];
const SUBMODULE = "160000";
const MOVED = "Path updated due to directory rename";

type Message = { readonly paths: readonly string[]; readonly type: string };
type Sides = { base: MergeSide | null; ours: MergeSide | null; theirs: MergeSide | null };

export function parseMerge(output: Buffer): MergeOutput {
  const fields = output.toString("utf8").split("\0");
  const tree = (fields[0] ?? "").trim();
  const sides = new Map<string, Sides>();
  let at = 1;
  for (; at < fields.length && fields[at] !== ""; at += 1) addSide(sides, fields[at] ?? "");
  const messages = parseMessages(fields, at + 1);
  return { tree, conflicts: conflictsOf(sides, messages), moved: movedOf(messages) };
}

/** `<mode> <oid> <stage>\t<path>` */
function addSide(sides: Map<string, Sides>, entry: string): void {
  const tab = entry.indexOf("\t");
  const [mode = "", oid = "", stage = ""] = entry.slice(0, tab).split(" ");
  const path = entry.slice(tab + 1);
  const known = sides.get(path) ?? { base: null, ours: null, theirs: null };
  if (stage === "1") known.base = { oid, mode };
  else if (stage === "2") known.ours = { oid, mode };
  else known.theirs = { oid, mode };
  sides.set(path, known);
}

/** Messages: a count of paths, the paths, the type, the text. */
function parseMessages(fields: readonly string[], start: number): readonly Message[] {
  const messages: Message[] = [];
  for (let at = start; at < fields.length && /^\d{1,9}$/.test(fields[at] ?? ""); ) {
    const count = Number(fields[at]);
    messages.push({ paths: fields.slice(at + 1, at + 1 + count), type: fields[at + 1 + count] ?? "" });
    at += count + 3;
  }
  return messages;
}

function conflictsOf(
  sides: ReadonlyMap<string, Sides>,
  messages: readonly Message[],
): readonly MergeConflict[] {
  const found = new Map<string, { kind: ConflictKind | null; related: Set<string> }>();
  for (const path of sides.keys()) found.set(path, { kind: null, related: new Set() });
  for (const { paths, type } of messages) {
    const kind = kindOf(type);
    if (kind === null) continue;
    const isStaged = paths.some((path) => sides.has(path));
    for (const path of paths) {
      const conflict = found.get(path) ?? { kind: null, related: new Set() };
      conflict.kind = firstOf(conflict.kind, kind);
      for (const other of paths) if (other !== path) conflict.related.add(other);
      // Of a rename git names the old path, too, which may be in neither tree.
      if (sides.has(path) || !isStaged) found.set(path, conflict);
    }
  }
  return [...found]
    .map(([path, { kind, related }]): MergeConflict => {
      const at = sides.get(path) ?? { base: null, ours: null, theirs: null };
      return { path, kind: kindAt(kind, at), ...at, relatedPaths: [...related] };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Git calls both of these a conflict of contents, in some versions. */
function kindAt(kind: ConflictKind | null, { base, ours, theirs }: Sides): ConflictKind {
  if (kind !== null && kind !== "content") return kind;
  if ([base, ours, theirs].some((side) => side?.mode === SUBMODULE)) return "submodule";
  if (base === null && ours !== null && theirs !== null) return "add_add";
  return kind ?? "other";
}

/** Null for what is no conflict: `CONFLICT (contents)`, in some versions without the space. */
function kindOf(type: string): ConflictKind | null {
  if (!type.startsWith("CONFLICT")) return null;
  const name = type.slice(type.indexOf("(") + 1, type.lastIndexOf(")"));
  if (name.startsWith("submodule")) return "submodule";
  return kinds.get(name) ?? "other";
}

function firstOf(one: ConflictKind | null, other: ConflictKind): ConflictKind {
  return one !== null && precedence.indexOf(one) <= precedence.indexOf(other) ? one : other;
}

/** git names the new path first. */
function movedOf(messages: readonly Message[]): readonly MovedFile[] {
  return messages.flatMap(({ paths: [to, from], type }) =>
    type === MOVED && to !== undefined && from !== undefined ? [{ from, to }] : [],
  );
}
