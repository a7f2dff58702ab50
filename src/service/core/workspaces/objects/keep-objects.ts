// Storage of a workspace's objects: small contents, trees and commits in rows; large contents in blobs, whose rows are written
// before them, so that nothing is left behind.
// Why: docs/decisions/073-workspaces-keep-gits-objects.md

import { createHash } from "node:crypto";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { keepingOf } from "../reach-workspace.ts";
import { type GitObject, objectHeader, oidOf } from "./git-object.ts";
import { cacheKeyOf } from "./object-cache.ts";
import type { NewObject } from "./store-port.ts";

/** Contents up to this are kept in a row. */
export const MAX_ROW_BYTES = 64 * 1024;

/** The beginning of the keys of all blobs of a workspace. */
export function blobFolderOf(workspaceId: string): string {
  return `ws/${workspaceId}/`;
}

/** Two contents with one SHA-1: the second one is not kept, and what belongs to it is undone. */
class OidTakenError extends Error {
  override readonly name = "OidTakenError";
  readonly code = "oid_taken";

  constructor(oid: string) {
    super(`Object ${oid} is kept with other contents.`);
  }
}

/** An object for a row. `oid` where it is known already. */
export function rowObject(object: GitObject, oid: string = oidOf(object)): NewObject {
  const { kind, data } = object;
  const sha256 = createHash("sha256").update(data).digest("hex");
  return { oid, kind, size: data.byteLength, sha256, data, blobKey: null };
}

/** Keeps objects in rows, and what is there already for another while. Throws an OidTakenError. */
export async function keepObjects(
  tx: StoreTransaction,
  { workspaceId, objects, now }: { workspaceId: string; objects: readonly NewObject[]; now: number },
): Promise<void> {
  if (objects.length === 0) return;
  const [taken] = await tx.objects.put({ workspaceId, objects, now });
  if (taken !== undefined) throw new OidTakenError(taken);
}

/** Contents that have arrived, and that no row names yet. */
export type Content = {
  readonly object: NewObject;
  /** Gives up what no transaction has kept. To be called at the end, whatever happened. */
  release(): Promise<void>;
};

export type ContentTooLargeRefusal = { readonly reason: "upload_file_too_large"; readonly capBytes: number };

/** Contents that are in memory: no larger than a row may be, or as large as a request may be. */
export async function contentOf(
  core: Core,
  { workspaceId, data, signal }: { workspaceId: string; data: Uint8Array; signal?: AbortSignal },
): Promise<Content> {
  const object = rowObject({ kind: "blob", data });
  if (data.byteLength <= MAX_ROW_BYTES) return { object, release: async () => {} };
  return await placeBlob(core, { workspaceId, object, open: () => once(data), signal });
}

/** Contents as they arrive: in memory while they are small, then in the spool, and at the end in a blob. */
export async function takeContent(
  core: Core,
  options: {
    workspaceId: string;
    content: AsyncIterable<Uint8Array>;
    maxBytes: number;
    signal?: AbortSignal;
  },
): Promise<Result<Content, ContentTooLargeRefusal>> {
  const { workspaceId, content, maxBytes, signal } = options;
  const held: Uint8Array[] = [];
  let size = 0;
  let spooled: Awaited<ReturnType<ReturnType<typeof keepingOf>["spool"]["open"]>> | null = null;
  const sha256 = createHash("sha256");
  try {
    for await (const chunk of content) {
      signal?.throwIfAborted();
      size += chunk.byteLength;
      if (size > maxBytes) return refused({ reason: "upload_file_too_large", capBytes: maxBytes });
      sha256.update(chunk);
      if (spooled === null) held.push(chunk);
      else await spooled.append(chunk);
      if (spooled === null && size > MAX_ROW_BYTES) {
        spooled = await keepingOf(core).spool.open();
        for (const early of held.splice(0)) await spooled.append(early);
      }
    }
    if (spooled === null) {
      return ok(await contentOf(core, { workspaceId, data: Buffer.concat(held, size) }));
    }
    const file = spooled;
    // Git hashes the size first, so that contents whose end was not known are read once more.
    const sha1 = createHash("sha1").update(objectHeader("blob", size));
    for await (const chunk of file.read()) sha1.update(chunk);
    const named = { oid: sha1.digest("hex"), kind: "blob", size, sha256: sha256.digest("hex") } as const;
    const object: NewObject = { ...named, data: null, blobKey: null };
    return ok(await placeBlob(core, { workspaceId, object, open: () => file.read(), signal }));
  } finally {
    await spooled?.close();
  }
}

/** Keeps contents in the transaction that names them. Throws an OidTakenError. */
export async function keepContents(
  tx: StoreTransaction,
  { workspaceId, contents, now }: { workspaceId: string; contents: readonly Content[]; now: number },
): Promise<void> {
  const objects = contents.map(({ object }) => object);
  await keepObjects(tx, { workspaceId, objects, now });
  const large = objects.filter(({ blobKey }) => blobKey !== null);
  if (large.length === 0) return;
  const kept = await tx.objects.find({ workspaceId, oids: large.map(({ oid }) => oid) });
  const used = new Set(kept.map(({ blobKey }) => blobKey));
  for (const { blobKey, size } of large) {
    // Others may have kept the same contents meanwhile: then this blob is released.
    if (blobKey === null || !used.has(blobKey)) continue;
    if (!(await tx.blobs.keep({ key: blobKey, bytes: size, now }))) throw new BlobGoneError(blobKey);
  }
}

/** An upload took longer than unfinished blobs are left alone. */
class BlobGoneError extends Error {
  constructor(key: string) {
    super(`Blob ${key} was discarded before it was kept.`);
  }
}

async function placeBlob(
  core: Core,
  options: {
    workspaceId: string;
    object: NewObject;
    open: () => AsyncIterable<Uint8Array>;
    signal: AbortSignal | undefined;
  },
): Promise<Content> {
  const { workspaceId, object, open, signal } = options;
  const { blobs } = keepingOf(core);
  const now = core.clock.now();
  const blobKey = `${blobFolderOf(workspaceId)}${core.random.uuid(now)}`;
  await core.store.transact((tx) => tx.blobs.begin({ keys: [blobKey], now }));
  const release = async () => {
    const [kept] = await core.store.committed.objects.find({ workspaceId, oids: [object.oid] });
    if (kept?.blobKey === blobKey) return;
    await core.store.transact((tx) => tx.blobs.discard({ keys: [blobKey], now: core.clock.now() }));
  };
  try {
    await blobs.put({ key: blobKey, size: object.size, open, signal });
    await replaceLost(core, { workspaceId, object, blobKey });
  } catch (cause) {
    await release();
    throw cause;
  }
  return { object: { ...object, data: null, blobKey }, release };
}

/** Where the object is kept already and its blob is lost, what was placed just now takes its place. */
async function replaceLost(
  core: Core,
  placed: { workspaceId: string; object: NewObject; blobKey: string },
): Promise<void> {
  const { workspaceId, object, blobKey } = placed;
  const { store, clock, log } = core;
  const { blobs, cache } = keepingOf(core);
  const [kept] = await store.committed.objects.find({ workspaceId, oids: [object.oid] });
  if (kept === undefined || kept.blobKey === null) return;
  const { blobKey: from } = kept;
  const isWhole = (await blobs.head(from))?.size === kept.size;
  if (isWhole && !(await store.committed.blobs.isLost(from))) return;
  const now = clock.now();
  const isReplaced = await store.transact(async (tx) => {
    if (!(await tx.objects.replaceBlob({ workspaceId, object, from, to: blobKey }))) return false;
    if (!(await tx.blobs.keep({ key: blobKey, bytes: object.size, now }))) throw new BlobGoneError(blobKey);
    await tx.blobs.discard({ keys: [from], now });
    return true;
  });
  if (!isReplaced) return;
  cache.delete(cacheKeyOf(workspaceId, object.oid));
  log.info({ workspace_id: workspaceId, oid: object.oid, lost: from }, "contents that were lost came again");
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
