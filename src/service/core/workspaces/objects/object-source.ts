// The objects of one workspace, as they are read: small ones from their rows by way of the node's cache, large ones as streams.

import { ContentsLostError, type GetBlob, type OpenBlob } from "../../blobs/blob-store.ts";
import type { Core } from "../../core.ts";
import { keepingOf } from "../reach-workspace.ts";
import { MissingObjectError } from "./git-object.ts";
import { cacheKeyOf } from "./object-cache.ts";
import type { KeptObject, ObjectReader } from "./store-port.ts";
import { type LargeObject, openContents } from "./stored-contents.ts";
import { parseTree, type TreeEntry } from "./tree-object.ts";
import type { TreeSource } from "./tree-source.ts";

export type ObjectSource = TreeSource & {
  /** The contents, whole. Throws a MissingObjectError. */
  blob(oid: string): Promise<Uint8Array>;
  /** The contents, or a part of them, for one reading. Throws a MissingObjectError. */
  open(oid: string, options?: GetBlob): Promise<OpenBlob>;
  /** The contents of those that are small. Others, and those that are not kept, are left out. */
  rows(oids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** In bytes. Throws a MissingObjectError. For who reads the contents next. */
  size(oid: string): Promise<number>;
  /** In bytes. Those that are not kept are left out. */
  sizes(oids: readonly string[]): Promise<ReadonlyMap<string, number>>;
};

type Reading = { readonly objects: ObjectReader };

const SIZE_BYTES = 8;

/** A source over the cache, whichever reader filled it: objects never change. */
export function objectSource(
  core: Core,
  workspaceId: string,
  { objects }: Reading = core.store.committed,
): ObjectSource {
  const { cache } = keepingOf(core);
  const keyOf = (oid: string) => cacheKeyOf(workspaceId, oid);
  /** Apart from the object: a list shows sizes of files whose contents nobody reads. */
  const sizeKeyOf = (oid: string) => `${keyOf(oid)} size`;

  const find = async (oid: string): Promise<KeptObject> => {
    const cached = cache.get(keyOf(oid));
    if (isKept(cached)) return cached;
    const [found] = await objects.find({ workspaceId, oids: [oid] });
    if (found === undefined) throw new MissingObjectError(oid);
    if (found.kind !== "tree") cache.set(keyOf(oid), found, found.data?.length ?? 0);
    return found;
  };
  /** Another node may have replaced a blob that was lost. */
  const openBlob = async (object: LargeObject, options: GetBlob): Promise<OpenBlob> => {
    try {
      return await openContents(core, object, options);
    } catch (cause) {
      if (!(cause instanceof ContentsLostError)) throw cause;
      cache.delete(keyOf(object.oid));
      const { blobKey } = await find(object.oid);
      if (blobKey === null || blobKey === object.blobKey) throw cause;
      return await openContents(core, { ...object, blobKey }, options);
    }
  };
  const open = async (oid: string, options: GetBlob = {}): Promise<OpenBlob> => {
    const { data, ...object } = await find(oid);
    if (data !== null) {
      const part = options.range === undefined ? data : data.subarray(options.range.start, options.range.end);
      return { size: part.length, content: once(part) };
    }
    const { blobKey } = object;
    if (blobKey === null) throw new MissingObjectError(oid);
    return await openBlob({ ...object, blobKey }, options);
  };
  return {
    trees: async (oids) => {
      const trees = new Map<string, readonly TreeEntry[]>();
      const absent: string[] = [];
      for (const oid of oids) {
        const cached = cache.get(keyOf(oid));
        if (isTree(cached)) trees.set(oid, cached);
        else absent.push(oid);
      }
      if (absent.length === 0) return trees;
      for (const { oid, data } of await objects.find({ workspaceId, oids: absent })) {
        if (data === null) continue;
        const entries = parseTree(data);
        trees.set(oid, entries);
        // Parsed, an entry takes about four times its bytes.
        cache.set(keyOf(oid), entries, 4 * data.length);
      }
      const missing = absent.find((oid) => !trees.has(oid));
      if (missing !== undefined) throw new MissingObjectError(missing);
      return trees;
    },
    open,
    blob: async (oid) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await open(oid)).content) chunks.push(chunk);
      const [only] = chunks;
      return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
    },
    rows: async (oids) => {
      const found = await objects.find({ workspaceId, oids });
      return new Map(found.flatMap(({ oid, data }) => (data === null ? [] : [[oid, data] as const])));
    },
    size: async (oid) => (await find(oid)).size,
    sizes: async (oids) => {
      const sizes = new Map<string, number>();
      const absent: string[] = [];
      for (const oid of oids) {
        const cached = cache.get(sizeKeyOf(oid));
        if (typeof cached === "number") sizes.set(oid, cached);
        else absent.push(oid);
      }
      if (absent.length === 0) return sizes;
      for (const [oid, size] of await objects.sizes({ workspaceId, oids: absent })) {
        sizes.set(oid, size);
        cache.set(sizeKeyOf(oid), size, SIZE_BYTES);
      }
      return sizes;
    },
  };
}

function isTree(value: unknown): value is readonly TreeEntry[] {
  return Array.isArray(value);
}

function isKept(value: unknown): value is KeptObject {
  return value !== undefined && !Array.isArray(value);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
