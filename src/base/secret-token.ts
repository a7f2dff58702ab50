// Opaque bearer secrets: a prefix that scanners can find, 32 random bytes, a checksum that catches a slip
// before the store is read. The store holds only its SHA-256.

import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

const SECRET_BYTES = 32;
const CHECKSUM_CHARS = 6;

type SecretToken = {
  /** The text that the holder gets, once. */
  readonly text: string;
  /** SHA-256 of `text`, hexadecimal: what is stored. */
  readonly hash: string;
};

/** Makes `<prefix><secret><checksum>` from 32 random bytes. */
export function makeSecretToken(prefix: string, random: Uint8Array): SecretToken {
  if (random.length !== SECRET_BYTES) throw new RangeError(`A secret takes ${SECRET_BYTES} random bytes.`);
  const body = `${prefix}${Buffer.from(random).toString("base64url")}`;
  const text = body + checksum(body);
  return { text, hash: hashSecret(text) };
}

/** True when the text has this prefix, the right length and a matching checksum. Says nothing of validity. */
export function isWellFormedSecret(prefix: string, text: string): boolean {
  const body = text.slice(0, -CHECKSUM_CHARS);
  return (
    text.length === prefix.length + 43 + CHECKSUM_CHARS &&
    text.startsWith(prefix) &&
    checksum(body) === text.slice(-CHECKSUM_CHARS)
  );
}

/** Takes as long wherever they differ. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"));
}

export function hashSecret(text: string): string {
  return hash("sha256", text, "hex");
}

function checksum(body: string): string {
  return crc32(body).toString(36).padStart(7, "0").slice(-CHECKSUM_CHARS);
}
