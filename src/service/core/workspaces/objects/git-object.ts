// Git's objects: blobs, trees and commits, named by the SHA-1 of their kind, size and bytes. Pure.

import { createHash } from "node:crypto";

type ObjectKind = "blob" | "tree" | "commit";
export type GitObject = { readonly kind: ObjectKind; readonly data: Uint8Array };

/** The name that git gives the object: 40 hexadecimal digits. */
export function oidOf({ kind, data }: GitObject): string {
  return createHash("sha1").update(objectHeader(kind, data.byteLength)).update(data).digest("hex");
}

/** The header that git hashes before an object's bytes: for whoever hashes a stream. */
export function objectHeader(kind: ObjectKind, size: number): string {
  return `${kind} ${size}\0`;
}

/** Stored bytes that are not what git calls a tree or a commit. */
export class MalformedObjectError extends Error {
  override readonly name = "MalformedObjectError";
  readonly code = "malformed_object";
}

/** An object that others name and nobody has. */
export class MissingObjectError extends Error {
  override readonly name = "MissingObjectError";
  readonly code = "missing_object";
  readonly oid: string;

  constructor(oid: string) {
    super(`Object ${oid} is not stored.`);
    this.oid = oid;
  }
}
