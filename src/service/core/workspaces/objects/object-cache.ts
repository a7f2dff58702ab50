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

type Cached = { readonly value: unknown; readonly bytes: number; isUsed: boolean };

/**
 * Forgets what was not used lately, once there is too much: a hand goes round, and what was used since it passed stays for another
 * round. A use only marks its entry: a map of many thousands in which each use moves one to the end is made anew again and again.
 */
export class ObjectCache {
  readonly #values = new Map<string, Cached>();
  readonly #maxBytes: number;
  #hand = this.#values.entries();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): unknown {
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    found.isUsed = true;
    return found.value;
  }

  delete(key: string): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    this.#values.delete(key);
  }

  set(key: string, value: unknown, contentBytes: number): void {
    const bytes = contentBytes + key.length + OVERHEAD_BYTES;
    if (bytes > this.#maxBytes / 4 || this.#values.has(key)) return;
    this.#values.set(key, { value, bytes, isUsed: false });
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes) this.#passOne();
  }

  #passOne(): void {
    const { value: entry, done: isRound } = this.#hand.next();
    if (isRound === true) {
      this.#hand = this.#values.entries();
      return;
    }
    const [key, cached] = entry;
    if (cached.isUsed) cached.isUsed = false;
    else this.delete(key);
  }
}
