// The bytes of a pack on their way to git: its first twelve say how many objects follow.

import type { PackFault } from "../../../contract/ci/commits.ts";
import { megabytes } from "../clone-limits.ts";

const HEADER_BYTES = 12;
const MAGIC = "PACK";

/** The pack cannot be taken. `message` is for the person who reads the job's log: a sentence. */
export class PackFaultError extends Error {
  override readonly name = "PackFaultError";
  readonly code: PackFault;

  constructor(code: PackFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

type PackStream = {
  readonly content: AsyncIterable<Uint8Array>;
  readonly maxObjects: number;
} & (
  | {
      /** As announced. */
      readonly size: number;
    }
  | { readonly size: null; readonly maxBytes: number }
);

/**
 * The same bytes. Reading throws a PackFaultError for another format, too many objects or bytes, and another size than announced.
 */
export async function* checkedPack(stream: PackStream): AsyncGenerator<Uint8Array, void, undefined> {
  const { content, size, maxObjects } = stream;
  const maxBytes = stream.size ?? stream.maxBytes;
  let header = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > maxBytes) break;
    if (header.length >= HEADER_BYTES) {
      yield chunk;
      continue;
    }
    header = Buffer.concat([header, chunk]);
    if (header.length < HEADER_BYTES) continue;
    checkHeader(header, maxObjects);
    yield header;
  }
  if (size === null && bytes > maxBytes) {
    throw new PackFaultError(
      "contents_too_large",
      `The pack has more than the ${megabytes(maxBytes)} that this service takes.`,
    );
  }
  if (size !== null && bytes !== size) {
    throw new PackFaultError(
      "pack_malformed",
      `The pack has not the ${size} bytes that Content-Length says.`,
    );
  }
  if (header.length < HEADER_BYTES) throw new PackFaultError("pack_malformed", "The body is no git pack.");
}

function checkHeader(header: Buffer, maxObjects: number): void {
  const version = header.readUInt32BE(4);
  if (header.toString("latin1", 0, 4) !== MAGIC || (version !== 2 && version !== 3)) {
    throw new PackFaultError("pack_malformed", "The body is no git pack.");
  }
  const objects = header.readUInt32BE(8);
  if (objects <= maxObjects) return;
  const [got, allowed] = [objects, maxObjects].map((count) => count.toLocaleString("en-US"));
  throw new PackFaultError(
    "contents_too_large",
    `The pack has ${got} objects, this service takes ${allowed}.`,
  );
}
