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

/** Forgets what was used least lately, once there is too much. */
export class ObjectCache {
  readonly #values = new Map<string, { readonly value: unknown; readonly bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): unknown {
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, found);
    return found.value;
  }

  delete(key: string): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    this.#values.delete(key);
  }

  set(key: string, value: unknown, contentBytes: number): void {
    const bytes = contentBytes + key.length + OVERHEAD_BYTES;
    if (bytes > this.#maxBytes / 4 || this.#values.has(key)) return;
    this.#values.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#values) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#values.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
