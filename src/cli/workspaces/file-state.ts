// The state of a file in a folder or a copy: git's name of its contents, and its mode. Pure.

/** As git has them: a file, an executable one, a symbolic link. */
export const fileModes = ["100644", "100755", "120000"] as const;
export type LocalFileMode = (typeof fileModes)[number];

export type LocalFileState = {
  /** Git's name of a blob with these contents; of a link: with its target. */
  readonly oid: string;
  readonly mode: LocalFileMode;
};

/** Files by path, separated by "/". */
export type FileStates = ReadonlyMap<string, LocalFileState>;

/** Both null: there is no file on either side. */
export function isSameFile(one: LocalFileState | null, other: LocalFileState | null): boolean {
  if (one === null || other === null) return one === other;
  return one.oid === other.oid && one.mode === other.mode;
}
