// Names of git's objects: the hash that makes them, and the one that every repository knows. Pure.

export type ObjectFormat = "sha1" | "sha256";

/** The tree without an entry, in repositories of SHA-1: it need not be stored. */
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** The hash that made the name of an object. */
export function objectFormatOf(name: string): ObjectFormat {
  return name.length === 64 ? "sha256" : "sha1";
}
