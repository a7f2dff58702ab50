// The name of a store, and the blob that carries it: by it a node that sees other blobs than those of its store can tell.
// Why: docs/decisions/105-the-stores-marker-among-its-blobs.md

import type { BlobStore } from "./blob-store.ts";

/** The name's place among the service's own values, which every node reads. It is no secret. */
export const STORE_IDENTITY = "store_identity";

/** Says whose blobs they are. Safe to repeat. */
export async function markBlobs(blobs: BlobStore, identity: string): Promise<void> {
  const content = Buffer.from(`${identity}\n`);
  const open = async function* () {
    yield content;
  };
  await blobs.put({ key: markerKey(identity), size: content.length, open });
}

/** Whether these are the blobs of the store. */
export async function hasMarker(blobs: BlobStore, identity: string): Promise<boolean> {
  return (await blobs.head(markerKey(identity))) !== null;
}

export async function removeMarker(blobs: BlobStore, identity: string): Promise<void> {
  await blobs.delete([markerKey(identity)]);
}

function markerKey(identity: string): string {
  return `store/${identity}`;
}
