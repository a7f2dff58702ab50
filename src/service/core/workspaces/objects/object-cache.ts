// Objects that a node has read lately. Their contents never change, so that nothing has to be told to other nodes; where a blob is
// lost, its reader asks the store whether there is another one by now.

declare module "../workspace-keeping.ts" {
  interface WorkspaceKeeping {
    /** Objects that this node has read lately. */
    readonly cache: ObjectCache;
  }
}

/** The name of an object in the cache. */
export function cacheKeyOf(workspaceId: string, oid: string): string {
  return `${workspaceId} ${oid}`;
}

/** The weight of a cached value beside its bytes. */
const OVERHEAD_BYTES = 200;

type Cached = { readonly value: unknown; readonly bytes: number };

/**
 * Forgets what was not used lately, once there is too much: in two generations, since a map of many thousands in which each use
 * moves its entry to the end is made anew again and again.
 */
export class ObjectCache {
  readonly #maxBytes: number;
  /** What was used since the last change of generations. */
  #young = new Map<string, Cached>();
  /** What was used in the generation before. */
  #old = new Map<string, Cached>();
  #youngBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): unknown {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#add(key, old);
    return old.value;
  }

  delete(key: string): void {
    const young = this.#young.get(key);
    if (young !== undefined) this.#youngBytes -= young.bytes;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  set(key: string, value: unknown, contentBytes: number): void {
    const bytes = contentBytes + key.length + OVERHEAD_BYTES;
    if (bytes > this.#maxBytes / 4 || this.#young.has(key) || this.#old.has(key)) return;
    this.#add(key, { value, bytes });
  }

  /** Both generations together are never larger than allowed. */
  #add(key: string, cached: Cached): void {
    if (this.#youngBytes + cached.bytes > this.#maxBytes / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(key, cached);
    this.#youngBytes += cached.bytes;
  }
}
