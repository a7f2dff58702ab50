// The port to what keeps large contents: immutable, named by keys that are used once. Rows in the store say which there
// are, so that it takes no list and no conditional write. Implemented in blobs/.
// Why: docs/decisions/045-blobs.md

export interface BlobStore {
  /** Writes a blob, whole or not at all: it is durable once this resolves. Safe to repeat with the same bytes. */
  put(blob: NewBlob): Promise<void>;
  /** Opens a blob, or a part of it, for one reading. Null where there is none. Reading rejects when it breaks off. */
  get(key: string, options?: GetBlob): Promise<OpenBlob | null>;
  /** Null where there is none. */
  head(key: string): Promise<{ readonly size: number } | null>;
  /** Safe to repeat; a key without a blob is none to delete. */
  delete(keys: readonly string[]): Promise<void>;
  /** The health by the latest calls of this process. Left out where nothing is asked over a network. */
  health?(): BlobHealth;
}

export type BlobHealth = {
  /** False after several failures in a row, until the server answers again. */
  readonly isAvailable: boolean;
  /** Calls that failed since the process began. */
  readonly failures: number;
};

export type NewBlob = {
  /** Names separated by `/`, of letters, digits, `.`, `_` and `-`; none begins with a dot. */
  readonly key: string;
  /** In bytes: the content has as many. */
  readonly size: number;
  /** Opens the content from its start. Called once for every attempt. */
  open(): AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
};

export type GetBlob = {
  /** From `start`, up to and not including `end`. */
  readonly range?: { readonly start: number; readonly end: number };
  readonly signal?: AbortSignal | undefined;
};

export type OpenBlob = {
  /** Of what is read, in bytes. */
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
};

/** The blobs cannot be read or written now. The message names the setting that may be wrong, and no secret. */
export class BlobStoreError extends Error {
  override readonly name = "BlobStoreError";
  readonly code = "blobs_unavailable";

  /** An implementation that is loaded from a bundle of its own has a copy of this class: the name tells. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "BlobStoreError";
  }
}

/** The contents of a blob are missing, or are not what was written. To read them again does not help. */
export class ContentsLostError extends Error {
  override readonly name = "ContentsLostError";
  readonly code = "contents_lost";
}

const keyPattern = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}\/){0,7}[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** Throws a TypeError for a key that could name anything else than a blob. */
export function checkBlobKey(key: string): string {
  if (!keyPattern.test(key)) throw new TypeError("A blob's key is made of letters, digits, . _ - and /.");
  return key;
}
