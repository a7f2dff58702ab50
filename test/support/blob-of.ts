// A blob of a text, which can be opened again and again.

import type { NewBlob } from "../../src/service/core/blobs/blob-store.ts";

export function blobOf(key: string, text: string | Buffer, chunkBytes = 100_000): NewBlob {
  const bytes = Buffer.from(text);
  return {
    key,
    size: bytes.length,
    open: async function* () {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    },
  };
}
