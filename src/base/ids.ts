// Randomness as an argument: identifiers and secret bytes.

import { randomBytes } from "node:crypto";

export interface Random {
  /** A UUID version 7 (RFC 9562): time-ordered, so that new rows land at the end of an index. */
  uuid(nowMs: number): string;
  bytes(count: number): Uint8Array;
  /** A number in [0, 1). */
  fraction(): number;
}

/** A system call for each id is slow: bytes are requested for some hundreds of ids at a time. */
const ID_BYTES = 10;
const POOL_BYTES = 400 * ID_BYTES;
let pool: Buffer = Buffer.alloc(0);

export const systemRandom: Random = {
  uuid: (nowMs) => {
    if (pool.length < ID_BYTES) pool = randomBytes(POOL_BYTES);
    const bytes = pool.subarray(0, ID_BYTES);
    pool = pool.subarray(ID_BYTES);
    return uuidV7(nowMs, bytes);
  },
  bytes: (count) => randomBytes(count),
  fraction: () => Math.random(),
};

/** Lays out 48 bits of milliseconds and 74 random bits as a UUID version 7. */
export function uuidV7(nowMs: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
