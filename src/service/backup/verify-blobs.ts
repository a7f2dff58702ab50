// Compares what the store names with its blobs, and brings back what is lost from another place that has it.

import type { BlobStore } from "../core/blobs/blob-store.ts";
import { markBlobs } from "../core/blobs/store-identity.ts";
import type { NamedBlob, StoreSnapshot } from "../core/ports/store-snapshot.ts";
import { eachOf } from "./at-once.ts";
import { BLOBS_AT_ONCE, type BlobFault, copyBlob, findFault, readHash } from "./copy-blob.ts";

type VerifyParts = {
  readonly openSnapshot: () => Promise<StoreSnapshot>;
  readonly blobs: BlobStore;
  /** Another bucket or folder, or a backup. Null: nothing is brought back. */
  readonly from: BlobStore | null;
  /** Whether all contents are read and compared by their hashes. Else sizes are, and the contents of what a reader has found lost. */
  readonly readsContents: boolean;
  /** Whether these are the store's blobs from now on, whatever they lack. */
  readonly adopts: boolean;
};

type LostBlob = { readonly key: string; readonly bytes: number; readonly fault: BlobFault };
export type VerifyReport = {
  readonly checked: number;
  readonly bytes: number;
  readonly healed: readonly LostBlob[];
  readonly lost: readonly LostBlob[];
};

/** Safe beside a process that serves, and to repeat. Rejects as the store and the blobs do. */
export async function verifyBlobs(parts: VerifyParts): Promise<VerifyReport> {
  const { openSnapshot, blobs, from, readsContents, adopts } = parts;
  const { named, identity } = await readNamed(openSnapshot);
  const healed: LostBlob[] = [];
  const lost = new Map<string, LostBlob>();
  await eachOf(named, BLOBS_AT_ONCE, async (blob) => {
    const fault =
      (await findFault(blobs, blob)) ??
      (readsContents || blob.isMarkedLost === true ? (await readHash(blobs, blob)).fault : null);
    if (fault === null) return;
    const one = { key: blob.key, bytes: blob.bytes, fault };
    const copied = from === null ? null : await copyBlob({ from, to: blobs, blob });
    if (copied?.type === "copied") healed.push(one);
    else lost.set(blob.key, one);
  });
  if (adopts && identity !== null) await markBlobs(blobs, identity);
  return {
    checked: named.length,
    bytes: named.reduce((sum, { bytes }) => sum + bytes, 0),
    healed,
    // What was deleted meanwhile is not lost.
    lost: lost.size === 0 ? [] : await stillLost(openSnapshot, lost),
  };
}

async function stillLost(
  open: VerifyParts["openSnapshot"],
  lost: ReadonlyMap<string, LostBlob>,
): Promise<readonly LostBlob[]> {
  const { named } = await readNamed(open);
  return named.flatMap(({ key }) => lost.get(key) ?? []);
}

async function readNamed(open: VerifyParts["openSnapshot"]) {
  const snapshot = await open();
  try {
    const named: NamedBlob[] = [];
    for await (const some of snapshot.blobs()) named.push(...some);
    return { named, identity: snapshot.identity };
  } finally {
    await snapshot.close();
  }
}
