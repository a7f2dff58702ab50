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
const ID_DIGITS = 2 * ID_BYTES;
const POOL_BYTES = 400 * ID_BYTES;
/** Hexadecimal. */
let pool = "";
let taken = 0;

export const systemRandom: Random = {
  uuid: (nowMs) => {
    if (taken === pool.length) {
      pool = randomBytes(POOL_BYTES).toString("hex");
      taken = 0;
    }
    taken += ID_DIGITS;
    return layOut(nowMs, pool.slice(taken - ID_DIGITS, taken));
  },
  bytes: (count) => randomBytes(count),
  fraction: () => Math.random(),
};

/** Lays out 48 bits of milliseconds and 74 of the 80 random bits as a UUID version 7. */
export function uuidV7(nowMs: number, random: Uint8Array): string {
  return layOut(nowMs, Buffer.from(random.subarray(0, ID_BYTES)).toString("hex"));
}

function layOut(nowMs: number, digits: string): string {
  const time = nowMs.toString(16).padStart(12, "0");
  // Two bits of this digit are the variant: 10.
  const variant = ((Number.parseInt(digits.charAt(4), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(1, 4)}-${variant}${digits.slice(5, 8)}-${digits.slice(8)}`;
}
