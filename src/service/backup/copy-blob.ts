// A blob from one place to another: whole and with the hash that the store has of it, or not at all.

import { createHash } from "node:crypto";
import type { BlobStore } from "../core/blobs/blob-store.ts";
import type { NamedBlob } from "../core/ports/store-snapshot.ts";

export const BLOBS_AT_ONCE = 8;

/** The fault of a blob: it is not there, it has another size, or other contents. */
export type BlobFault = "missing" | "size" | "contents";

type Copied =
  | { readonly type: "copied"; readonly sha256: string }
  | { readonly type: "faulty"; readonly fault: BlobFault };

/** Rejects as the places do. Safe to repeat. */
export async function copyBlob(copy: {
  readonly from: BlobStore;
  readonly to: BlobStore;
  readonly blob: NamedBlob;
}): Promise<Copied> {
  const { from, to, blob } = copy;
  const { key, bytes: size } = blob;
  const found = await findFault(from, blob);
  if (found !== null) return { type: "faulty", fault: found };
  const faulty = new AbortController();
  let sha256 = "";
  const open = async function* () {
    const read = hashed(from, blob);
    for await (const chunk of read.content) yield chunk;
    const fault = read.fault();
    // What sends it may take a broken body for a broken connection, and would try again.
    if (fault !== null) faulty.abort(new FaultyBlobError(fault));
    faulty.signal.throwIfAborted();
    sha256 = read.sha256();
  };
  try {
    await to.put({ key, size, open, signal: faulty.signal });
  } catch (cause) {
    if (faulty.signal.reason instanceof FaultyBlobError)
      return { type: "faulty", fault: faulty.signal.reason.fault };
    throw cause;
  }
  return { type: "copied", sha256 };
}

/** Reads no contents. */
export async function findFault(
  place: BlobStore,
  { key, bytes }: NamedBlob,
): Promise<"missing" | "size" | null> {
  const found = await place.head(key);
  if (found === null) return "missing";
  return found.size === bytes ? null : "size";
}

/** Reads the contents. `sha256` is the hash that they have. */
export async function readHash(
  place: BlobStore,
  blob: NamedBlob,
): Promise<{ readonly sha256: string; readonly fault: BlobFault | null }> {
  const read = hashed(place, blob);
  for await (const _ of read.content);
  return { sha256: read.sha256(), fault: read.fault() };
}

class FaultyBlobError extends Error {
  readonly fault: BlobFault;

  constructor(fault: BlobFault) {
    super("The blob is not what was written.");
    this.fault = fault;
  }
}

function hashed(place: BlobStore, { key, bytes, sha256 }: NamedBlob) {
  const hash = createHash("sha256");
  let read = 0;
  let digest = "";
  const content = (async function* () {
    const opened = await place.get(key);
    if (opened !== null)
      for await (const chunk of opened.content) {
        read += chunk.length;
        hash.update(chunk);
        // No more than was announced goes on.
        if (read > bytes) break;
        yield chunk;
      }
    digest = hash.digest("hex");
  })();
  const fault = (): BlobFault | null => {
    if (read !== bytes) return "size";
    return sha256 === null || sha256 === digest ? null : "contents";
  };
  return { content, fault, sha256: () => digest };
}
