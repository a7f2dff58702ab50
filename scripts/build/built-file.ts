// A file of dist/ or npm/, before it is written. Types only.

export type BuiltFile = {
  readonly contents: Uint8Array | string;
  /** What went into it, by paths in the project. */
  readonly modules: readonly string[];
  /** The files that are loaded with it, by their names. */
  readonly imports: readonly string[];
};

/** By their paths in the folder. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;
