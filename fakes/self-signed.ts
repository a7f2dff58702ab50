// A certificate for some host names, signed by its own fresh key: what a server on loopback needs to speak TLS.

import { generateKeyPairSync, sign } from "node:crypto";

const ECDSA_WITH_SHA256 = "06082a8648ce3d040302";
const COMMON_NAME = "0603550403";
const SUBJECT_ALT_NAME = "0603551d11";

export type Identity = { readonly key: string; readonly cert: string };

/** Valid for any test's life; trusted by whoever takes `cert` as an authority. */
export function selfSigned(names: readonly string[]): Identity {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, hex(ECDSA_WITH_SHA256));
  const name = der(0x30, der(0x31, der(0x30, hex(COMMON_NAME), der(0x0c, Buffer.from("test")))));
  const validity = der(0x30, time("20000101000000Z"), time("99991231235959Z"));
  const hosts = der(0x30, ...names.map((host) => der(0x82, Buffer.from(host))));
  const extension = der(0x30, hex(SUBJECT_ALT_NAME), der(0x04, hosts));
  const body = der(
    0x30,
    der(0xa0, der(0x02, hex("02"))),
    der(0x02, hex("01")),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, extension)),
  );
  const signature = der(0x03, hex("00"), sign("sha256", body, privateKey));
  const lines =
    der(0x30, body, algorithm, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  const cert = ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function time(text: string): Buffer {
  return der(0x18, Buffer.from(text));
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, "hex");
}
