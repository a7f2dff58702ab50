// One entry of a key set as a key that may verify: public, meant for signatures, of the pinned kind, strong. No I/O.

import { importJWK } from "jose";
import * as z from "zod/mini";
import { ok, type Result, refused } from "../../base/result.ts";

const MIN_RSA_BITS = 2048;
const RSA_EXPONENT = 65_537;

/** The one algorithm that each provider signs with. */
export type PinnedAlgorithm = "RS256";

const jwkSchema = z.looseObject({
  kty: z.literal("RSA", "is not an RSA key"),
  use: z.optional(z.literal("sig", "is not meant for signatures")),
  alg: z.optional(z.string()),
  key_ops: z.optional(z.array(z.string()).check(z.refine((ops) => ops.includes("verify"), "may not verify"))),
  n: z.string("has no modulus"),
  e: z.string("has no exponent"),
  /** Private parts have no place in a key set. */
  d: z.optional(z.undefined("is a private key")),
});

/** Imports a JWK. A refusal says in a few words what is wrong with the key: "is weaker than 2048 bits". */
export async function importSigningKey(
  jwk: unknown,
  algorithm: PinnedAlgorithm,
): Promise<Result<CryptoKey, string>> {
  const parsed = jwkSchema.safeParse(jwk);
  if (!parsed.success) return refused(parsed.error.issues[0]?.message ?? "cannot be read");
  const { kty, n, e, alg } = parsed.data;
  if (alg !== undefined && alg !== algorithm) return refused(`is not for ${algorithm}`);
  const key = await importJWK({ kty, n, e }, algorithm).catch(() => null);
  if (key === null || key instanceof Uint8Array) return refused("cannot be read");
  const { modulusLength, publicExponent } = key.algorithm as RsaHashedKeyAlgorithm;
  if (modulusLength < MIN_RSA_BITS) return refused(`is weaker than ${MIN_RSA_BITS} bits`);
  if (toNumber(publicExponent) !== RSA_EXPONENT) return refused(`has an exponent other than ${RSA_EXPONENT}`);
  return ok(key);
}

function toNumber(bigEndian: Uint8Array): number {
  return bigEndian.reduce((value, byte) => value * 256 + byte, 0);
}
