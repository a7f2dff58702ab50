// The commit that a delivery pushed, read back for a statement about it. Types only.

/** What the repository tells agents. */
export type InstructionFiles = {
  readonly commit: string;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** How many are not listed. */
  readonly more: number;
};

export type PushedCommit = {
  readonly sha: string;
  /** Without git's header: what `git cat-file commit` prints. */
  readonly object: Buffer;
  /** "" of a change without text. */
  readonly patchId: string;
  readonly instructions: InstructionFiles;
};

export type Pushed =
  | { readonly type: "read"; readonly commit: PushedCommit }
  /** It is pushed, and could not be read again. */
  | { readonly type: "unread"; readonly sha: string; readonly why: string };
