// Parts of archives: texts in gzip, each known by its size and hash.

import { createHash } from "node:crypto";
import { gunzip, gzip } from "node:zlib";
import { ContentsLostError } from "../../blobs/blob-store.ts";

export type Measured = {
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
};

export async function compress(text: string): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    gzip(text, (cause, compressed) => (cause === null ? resolve(compressed) : reject(cause)));
  });
}

/** Throws a ContentsLostError with `lost` where it is not what was written. */
export async function expand(
  content: Buffer,
  { written, lost }: { readonly written: Measured; readonly lost: string },
): Promise<string> {
  if (content.byteLength !== written.bytes || hashOf(content) !== written.sha256)
    throw new ContentsLostError(lost);
  return await new Promise((resolve, reject) => {
    gunzip(content, (cause, text) => (cause === null ? resolve(text.toString("utf8")) : reject(cause)));
  });
}

export function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
