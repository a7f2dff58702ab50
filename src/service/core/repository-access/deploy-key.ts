// A key pair of Ed25519 in OpenSSH's formats. Pure.
// Private: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key. Public: RFC 8709.

import { createPrivateKey, createPublicKey, hash } from "node:crypto";

const ALGORITHM = "ssh-ed25519";
const SEED_BYTES = 32;
const CHECK_BYTES = 4;
/** Random bytes that a pair is made of. */
export const DEPLOY_KEY_BYTES: number = SEED_BYTES + CHECK_BYTES;
/** Bytes before the seed in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const BLOCK_BYTES = 8;
const LINE_CHARS = 70;

type DeployKey = {
  /** As a code host takes it: algorithm, key, comment. */
  readonly publicKey: string;
  /** As a file for `ssh -i`. */
  readonly privateKey: string;
};

/** `random`: DEPLOY_KEY_BYTES that nobody else knows. */
export function makeDeployKey(random: Uint8Array, comment: string): DeployKey {
  if (random.length !== DEPLOY_KEY_BYTES) throw new RangeError(`A key is made of ${DEPLOY_KEY_BYTES} bytes.`);
  const seed = Buffer.from(random.subarray(0, SEED_BYTES));
  const check = Buffer.from(random.subarray(SEED_BYTES));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  const point = Buffer.from(createPublicKey(key).export({ format: "jwk" }).x ?? "", "base64url");
  const blob = Buffer.concat([field(ALGORITHM), field(point)]);
  const secret = Buffer.concat([
    check,
    check,
    field(ALGORITHM),
    field(point),
    field(Buffer.concat([seed, point])),
    field(comment),
  ]);
  const padding = Buffer.from(
    Array.from({ length: (BLOCK_BYTES - (secret.length % BLOCK_BYTES)) % BLOCK_BYTES }, (_, at) => at + 1),
  );
  const file = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    field("none"),
    field("none"),
    field(""),
    count(1),
    field(blob),
    field(Buffer.concat([secret, padding])),
  ]);
  const lines = file.toString("base64").match(new RegExp(`.{1,${LINE_CHARS}}`, "g")) ?? [];
  return {
    publicKey: `${ALGORITHM} ${blob.toString("base64")} ${comment}`,
    privateKey: [
      "-----BEGIN OPENSSH PRIVATE KEY-----",
      ...lines,
      "-----END OPENSSH PRIVATE KEY-----",
      "",
    ].join("\n"),
  };
}

/** As code hosts and `ssh-keygen -l` show it. */
export function fingerprintOf(publicKey: string): string {
  const [, blob = ""] = publicKey.split(" ");
  return `SHA256:${hash("sha256", Buffer.from(blob, "base64"), "base64").replace(/=+$/, "")}`;
}

/** The parts of a private key that may stand alone, for what masks secrets. */
export function secretPartsOf(privateKey: string): readonly string[] {
  return [privateKey, ...privateKey.split("\n").filter((line) => line !== "" && !line.startsWith("-----"))];
}

function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([count(bytes.length), bytes]);
}

function count(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
