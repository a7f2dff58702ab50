// Text that only the holder of a key can read: AES-256-GCM, bound to its subject. Its form names the key, so that a changed key
// is told apart from a changed text.

import { createCipheriv, createDecipheriv, createSecretKey, hash, type KeyObject } from "node:crypto";
import { ok, type Result, refused } from "./result.ts";

export const SEALING_KEY_BYTES = 32;
export const SEAL_NONCE_BYTES = 12;
const CIPHER = "aes-256-gcm";
const TAG_BYTES = 16;
const VERSION = "v1";

export type SealingKey = {
  /** Says which key it is, and nothing of the key. */
  readonly id: string;
  readonly key: KeyObject;
};

export type SealingKeys = {
  /** Seals, and opens. */
  readonly current: SealingKey;
  /** Opens what it has sealed. Null: there is none. */
  readonly previous: SealingKey | null;
};

type UnsealRefusal =
  | { readonly reason: "key_unknown"; readonly keyId: string }
  /** It was changed, belongs to something else, or was never sealed. */
  | { readonly reason: "not_sealed_here" };

export function sealingKeyOf(bytes: Uint8Array): SealingKey {
  if (bytes.length !== SEALING_KEY_BYTES) throw new RangeError(`A key has ${SEALING_KEY_BYTES} bytes.`);
  const named = Buffer.concat([Buffer.from("agent-service sealing key\0"), bytes]);
  return { id: hash("sha256", named, "hex").slice(0, 8), key: createSecretKey(bytes) };
}

/** `nonce`: 12 random bytes, used once. Only with the same `boundTo` it can be opened again. */
export function seal(
  text: string,
  { key, nonce, boundTo }: { readonly key: SealingKey; readonly nonce: Uint8Array; readonly boundTo: string },
): string {
  const cipher = createCipheriv(CIPHER, key.key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return [VERSION, key.id, inBase64(nonce), inBase64(sealed)].join(".");
}

export function unseal(
  sealed: string,
  { keys, boundTo }: { readonly keys: SealingKeys; readonly boundTo: string },
): Result<string, UnsealRefusal> {
  const [version, keyId = "", nonce = "", body = ""] = sealed.split(".");
  if (version !== VERSION) return refused({ reason: "not_sealed_here" });
  const key = [keys.current, keys.previous].find((candidate) => candidate?.id === keyId);
  if (key === undefined || key === null) return refused({ reason: "key_unknown", keyId });
  const bytes = Buffer.from(body, "base64url");
  try {
    const decipher = createDecipheriv(CIPHER, key.key, Buffer.from(nonce, "base64url"), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(boundTo));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return ok(decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8"));
  } catch {
    // The cause says nothing that a reader could use, and may be any of several.
    return refused({ reason: "not_sealed_here" });
  }
}

function inBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
