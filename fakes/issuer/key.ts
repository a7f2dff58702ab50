// Signing keys and compact JWTs, made with node:crypto alone, so that a test never checks a library against itself
// and can also make what a library refuses to make.

import { createHmac, generateKeyPair, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";

const generate = promisify(generateKeyPair);

export type SigningAlgorithm = "RS256" | "ES256";

export type IssuerKey = {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key as a key set shows it, `kid`, `alg` and `use` included. */
  readonly jwk: Readonly<Record<string, unknown>>;
};

export type IssuerKeyOptions = {
  readonly kid?: string;
  readonly alg?: SigningAlgorithm;
  /** RSA only; 2048 unless told. */
  readonly modulusLength?: number;
  /** RSA only; 65537 unless told. */
  readonly publicExponent?: number;
};

/** Making an RSA key takes longer than most tests: issuers take turns with these. Any few in a row are different. */
const POOL_SIZE = 8;
const pool: Promise<KeyPair>[] = [];
let keysMade = 0;

type KeyPair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

export async function makeIssuerKey(options: IssuerKeyOptions = {}): Promise<IssuerKey> {
  const { alg = "RS256", modulusLength = 2048, publicExponent = 65_537 } = options;
  keysMade += 1;
  const kid = options.kid ?? `key-${keysMade}`;
  const pair = await makePair({ alg, modulusLength, publicExponent });
  const jwk = { ...pair.publicKey.export({ format: "jwk" }), kid, alg, use: "sig" };
  return { kid, alg, ...pair, jwk };
}

async function makePair(options: {
  alg: SigningAlgorithm;
  modulusLength: number;
  publicExponent: number;
}): Promise<KeyPair> {
  const { alg, modulusLength, publicExponent } = options;
  if (alg === "ES256") return await generate("ec", { namedCurve: "P-256" });
  if (modulusLength !== 2048 || publicExponent !== 65_537) {
    return await generate("rsa", { modulusLength, publicExponent });
  }
  const place = keysMade % POOL_SIZE;
  pool[place] ??= generate("rsa", { modulusLength, publicExponent });
  return await pool[place];
}

export type CompactToken = {
  readonly header: Readonly<Record<string, unknown>> | string;
  /** An object, or the exact text of the payload. */
  readonly payload: Readonly<Record<string, unknown>> | string;
  /** A private key signs by its kind, a secret by HMAC, null not at all, whatever the header says. */
  readonly key: KeyObject | Buffer | null;
};

/** `header.payload.signature`. Nothing is checked: a test may ask for any nonsense. */
export function signCompact(token: CompactToken): string {
  const input = `${encode(token.header)}.${encode(token.payload)}`;
  return `${input}.${signatureOf(input, token.key).toString("base64url")}`;
}

function encode(part: Readonly<Record<string, unknown>> | string): string {
  return Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url");
}

function signatureOf(input: string, key: KeyObject | Buffer | null): Buffer {
  if (key === null) return Buffer.alloc(0);
  if (Buffer.isBuffer(key)) return createHmac("sha256", key).update(input).digest();
  return sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" });
}
