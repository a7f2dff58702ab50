// A tree as git stores it: entries of mode, name and object, sorted by the bytes of their names. Pure.

import { compareBytes } from "../../../../base/byte-order.ts";
import { MalformedObjectError } from "./git-object.ts";

/** A file, a program, a symbolic link, a submodule's commit, a folder. */
export const fileModes = ["100644", "100755", "120000", "160000"] as const;
export type FileMode = (typeof fileModes)[number];
export const treeModes = [...fileModes, "40000"] as const;
export type TreeMode = (typeof treeModes)[number];
export type TreeEntry = { readonly mode: TreeMode; readonly name: string; readonly oid: string };

const OID_BYTES = 20;
const OID_DIGITS = 2 * OID_BYTES;
const SPACE = 0x20;
const TYPE_BITS = 0o170000;
const OWNER_EXECUTES = 0o100;

export function isFolder(entry: { readonly mode: TreeMode }): boolean {
  return entry.mode === "40000";
}

/** Git's order inside a tree: a folder's name counts with "/" at its end. */
function compareEntries(a: Omit<TreeEntry, "oid">, b: Omit<TreeEntry, "oid">): number {
  return compareBytes(sortKey(a), sortKey(b));
}

/** The key that an entry is sorted by. A file and a folder of one name have two keys. */
export function sortKey({ mode, name }: Omit<TreeEntry, "oid">): string {
  return mode === "40000" ? `${name}/` : name;
}

/** Throws a MalformedObjectError where the bytes are no tree, or a name in it is not UTF-8. */
export function parseTree(data: Uint8Array): readonly TreeEntry[] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(SPACE, at);
    const nul = space < 0 ? -1 : bytes.indexOf(0, space + 1);
    const end = nul + 1 + OID_BYTES;
    if (nul < 0 || end > bytes.length) {
      throw new MalformedObjectError(`A tree of ${bytes.length} bytes is cut off at byte ${at}.`);
    }
    const name = bytes.toString("utf8", space + 1, nul);
    if (name === "" || name.includes("\uFFFD")) checkName(name, bytes.subarray(space + 1, nul));
    entries.push({
      mode: modeOf(bytes.toString("latin1", at, space), name),
      name,
      oid: bytes.toString("hex", nul + 1, end),
    });
    at = end;
  }
  return entries;
}

/** The bytes of a tree, its entries sorted. Throws where two have one name, or one can not be in a tree. */
export function encodeTree(entries: readonly TreeEntry[]): Uint8Array {
  const sorted = isSorted(entries) ? entries : entries.toSorted(compareEntries);
  const names = new Set<string>();
  let length = 0;
  for (const { mode, name, oid } of sorted) {
    if (name === "" || name.includes("/") || name.includes("\0") || !name.isWellFormed()) {
      throw new MalformedObjectError(`No tree can have an entry of the name ${JSON.stringify(name)}.`);
    }
    if (oid.length !== OID_DIGITS) throw new MalformedObjectError(`"${oid}" is no object's name.`);
    names.add(name);
    length += mode.length + 1 + Buffer.byteLength(name) + 1 + OID_BYTES;
  }
  if (names.size !== sorted.length) throw new MalformedObjectError("Two entries of a tree have one name.");
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { mode, name, oid } of sorted) {
    at += bytes.write(`${mode} ${name}\0`, at, "utf8");
    at += bytes.write(oid, at, "hex");
  }
  if (at !== length) throw new MalformedObjectError("An object's name in a tree is not hexadecimal.");
  return bytes;
}

/** Decoding replaces bytes that are not UTF-8: such a file would be renamed silently. */
function checkName(name: string, bytes: Uint8Array): void {
  if (name === "") throw new MalformedObjectError("A tree has an entry without a name.");
  if (!Buffer.from(name).equals(bytes)) {
    throw new MalformedObjectError(`The name "${name}" in a tree is not UTF-8. Rename the file.`);
  }
}

/** Old versions of git wrote other permissions, and folders as 040000: they are read as git reads them. */
export function modeOf(mode: string, name: string): TreeMode {
  if (mode === "100644" || mode === "40000" || mode === "100755") return mode;
  if (mode === "120000" || mode === "160000") return mode;
  const bits = mode.length <= 7 ? Number(`0o${mode}`) : Number.NaN;
  switch (bits & TYPE_BITS) {
    case 0o040000:
      return "40000";
    case 0o100000:
      return (bits & OWNER_EXECUTES) === 0 ? "100644" : "100755";
    case 0o120000:
      return "120000";
    default:
      throw new MalformedObjectError(`The entry "${name}" of a tree has the mode "${mode}".`);
  }
}

function isSorted(entries: readonly TreeEntry[]): boolean {
  for (let at = 1; at < entries.length; at += 1) {
    const before = entries[at - 1];
    const entry = entries[at];
    if (before !== undefined && entry !== undefined && compareEntries(before, entry) >= 0) return false;
  }
  return true;
}
