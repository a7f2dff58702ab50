// Files of a tree that are none of an agent's business: credentials that a job left beside its checkout. What its commands,
// its tools and its readers get of them.

/** A file or folder on disk, also where it was moved meanwhile. */
export type FileIdentity = { readonly dev: number; readonly ino: number };

export type CoveredPlace = FileIdentity & {
  /** Relative to the root of the tree, where it was found. */
  readonly path: string;
};

export type CoveredFiles = {
  /** Commands find them empty. */
  readonly files: readonly CoveredPlace[];
  /** Git's own of other checkouts in the tree, folders or files: commands read them without what could be a secret. */
  readonly git: readonly CoveredPlace[];
  /** Values that are masked wherever they are written: the credentials that were found in them. */
  readonly values: readonly string[];
};

/** Whether this is one of the covered files, or the path of one. */
export function isCovered(
  covered: CoveredFiles | undefined,
  found: { readonly path: string } | FileIdentity,
): boolean {
  if (covered === undefined) return false;
  return covered.files.some((file) =>
    "path" in found ? file.path === found.path : file.dev === found.dev && file.ino === found.ino,
  );
}
