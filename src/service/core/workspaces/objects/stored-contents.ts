// Large contents as they are read from their blob: hashed on their way, so that what was changed or cut off since it was written
// never reaches a reader whole.
// Why: docs/decisions/107-contents-are-compared-while-they-are-read.md

import { createHash } from "node:crypto";
import { ContentsLostError, type GetBlob, type OpenBlob } from "../../blobs/blob-store.ts";
import type { Core } from "../../core.ts";
import { keepingOf } from "../reach-workspace.ts";
import { objectHeader } from "./git-object.ts";
import type { KeptObject } from "./store-port.ts";

/** A part of contents up to this size is sent once this node has compared the whole. */
const MAX_COMPARED_BYTES = 64 * 1024 * 1024;

export type LargeObject = Pick<KeptObject, "oid" | "kind" | "size"> & { readonly blobKey: string };

/**
 * Opens the contents, or a part of them. Throws a ContentsLostError where they are known to be missing or damaged; reading throws
 * one before the last bytes where they turn out to be damaged.
 */
export async function openContents(
  core: Core,
  object: LargeObject,
  options: GetBlob = {},
): Promise<OpenBlob> {
  const { blobKey, size } = object;
  const { start = 0, end = size } = options.range ?? {};
  const isWhole = start === 0 && end >= size;
  if (await core.store.committed.blobs.isLost(blobKey)) await compare(core, object, options);
  else if (!isWhole && size <= MAX_COMPARED_BYTES) await compareOnce(core, object, options);
  return isWhole ? await openWhole(core, object, options) : await openPart(core, object, options);
}

async function openWhole(core: Core, object: LargeObject, { signal }: GetBlob): Promise<OpenBlob> {
  const { size } = object;
  const opened = await openPart(core, object, signal === undefined ? {} : { signal });
  if (opened.size !== size) await loseContents(core, object);
  return { size, content: comparing(core, object, opened.content) };
}

async function openPart(core: Core, object: LargeObject, options: GetBlob): Promise<OpenBlob> {
  const opened = await keepingOf(core).blobs.get(object.blobKey, options);
  return opened ?? (await loseContents(core, object));
}

/** Contents never change: what was compared lately is not compared again for every part. */
async function compareOnce(core: Core, object: LargeObject, options: GetBlob): Promise<void> {
  const { cache } = keepingOf(core);
  const key = `compared ${object.blobKey}`;
  if (cache.get(key) !== undefined) return;
  await compare(core, object, options);
  cache.set(key, true, 0);
}

/** Reads all of it. Throws a ContentsLostError where it is not what was written, else forgets that it was. */
async function compare(core: Core, object: LargeObject, options: GetBlob): Promise<void> {
  for await (const _ of (await openWhole(core, object, options)).content);
  await markLost(core, object, null);
}

/** Holds the last bytes back until all were compared: a reader that is told the size knows that something is missing. */
async function* comparing(
  core: Core,
  object: LargeObject,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { oid, kind, size } = object;
  const hash = createHash("sha1").update(objectHeader(kind, size));
  let read = 0;
  let last: Uint8Array | null = null;
  for await (const chunk of content) {
    read += chunk.byteLength;
    if (read > size) break;
    hash.update(chunk);
    if (last !== null) yield last;
    last = chunk;
  }
  if (read !== size || hash.digest("hex") !== oid) await loseContents(core, object);
  if (last !== null) yield last;
}

async function loseContents(core: Core, object: LargeObject): Promise<never> {
  const { oid, blobKey } = object;
  core.log.error({ oid, blob: blobKey }, "the contents of an object are missing or damaged");
  await markLost(core, object, core.clock.now());
  throw new ContentsLostError(
    `The contents of object ${oid} are not in blob ${blobKey} as they were written.`,
  );
}

async function markLost(core: Core, { blobKey: key }: LargeObject, lostAt: number | null): Promise<void> {
  if ((lostAt !== null) === (await core.store.committed.blobs.isLost(key))) return;
  await core.store.transact((tx) => tx.blobs.markLost({ key, lostAt }));
}
