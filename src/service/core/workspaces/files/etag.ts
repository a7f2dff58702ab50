// The ETag of a file: a decimal number that says what the file holds and its mode, the same in every copy and revision. Pure.
// Why: docs/decisions/073-workspaces-keep-gits-objects.md

import { type FileMode, fileModes } from "../objects/tree-object.ts";

/** With 60 bits of the object's id, and two of the mode, it fits into 64 bits. */
const OID_DIGITS = 15;

export function etagOf({ mode, oid }: { readonly mode: FileMode; readonly oid: string }): string {
  const contents = BigInt(`0x${oid.slice(0, OID_DIGITS)}`);
  return String(contents * BigInt(fileModes.length) + BigInt(fileModes.indexOf(mode)));
}

/** The state that a write builds on: ETags, any file, no file at all, or whatever is there. */
export type Precondition = readonly string[] | "any" | "absent" | "whatever";

export function isMet(precondition: Precondition, etag: string | null): boolean {
  if (precondition === "whatever") return true;
  if (precondition === "absent") return etag === null;
  return etag !== null && (precondition === "any" || precondition.includes(etag));
}
