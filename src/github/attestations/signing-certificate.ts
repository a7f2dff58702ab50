// A certificate of Fulcio for a key that is made for one signature: the job proves itself by an ID token.
// https://github.com/sigstore/fulcio/blob/main/docs/how-certificate-issuing-works.md, looked up on 2026-11-29.

import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from "node:crypto";
import { isObject, parseObject } from "../../base/json.ts";
import { askService, type ServiceAccess } from "./ask-service.ts";
import { AttestationError } from "./attestation-error.ts";

export const FULCIO_AUDIENCE = "sigstore";
const TITLE = "The authority of signing certificates";

type SigningKey = {
  /** The signature of ECDSA on P-256 with SHA-256, in DER. */
  sign(bytes: Buffer): Buffer;
  readonly certificate: { readonly pem: string; readonly der: Buffer };
};

type CertificateRequest = {
  readonly fulcioUrl: string;
  /** For the audience `FULCIO_AUDIENCE`. Masked already. */
  readonly idToken: string;
};

/** The key is in this process alone, and is good for some minutes. Rejects with AttestationError, or with the signal's reason. */
export async function requestCertificate(
  access: ServiceAccess,
  { fulcioUrl, idToken }: CertificateRequest,
): Promise<SigningKey> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signBytes = (bytes: Buffer) => sign("sha256", bytes, privateKey);
  const answer = await askService(access, {
    url: `${fulcioUrl}/api/v2/signingCert`,
    title: TITLE,
    advice:
      'It certifies jobs of github.com and of ghe.com: on another GitHub server, leave the input "attest" out. Elsewhere re-run the job: it attests the commit that is there.',
    body: {
      credentials: { oidcIdentityToken: idToken },
      publicKeyRequest: {
        publicKey: { algorithm: "ECDSA", content: publicKey.export({ type: "spki", format: "pem" }) },
        proofOfPossession: signBytes(Buffer.from(subjectOf(idToken))).toString("base64"),
      },
    },
  });
  const pem = firstCertificate(answer.body);
  return { sign: signBytes, certificate: { pem, der: derOf(pem, publicKey) } };
}

function subjectOf(idToken: string): string {
  const payload = parseObject(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8"));
  return typeof payload?.sub === "string" ? payload.sub : "";
}

/** The first of the chain is the job's own. The proof of its publication is inside of it, or beside. */
function firstCertificate(body: string): string {
  const { signedCertificateEmbeddedSct: embedded, signedCertificateDetachedSct: detached } =
    parseObject(body) ?? {};
  const signed = isObject(embedded) ? embedded : detached;
  const chain = isObject(signed) ? signed.chain : undefined;
  const certificates: unknown = isObject(chain) ? chain.certificates : undefined;
  const first: unknown = Array.isArray(certificates) ? certificates[0] : undefined;
  if (typeof first === "string") return first;
  throw new AttestationError(
    `${TITLE} answered without a certificate. Look for a proxy that answers in its place.`,
  );
}

function derOf(pem: string, publicKey: KeyObject): Buffer {
  try {
    const certificate = new X509Certificate(pem);
    if (certificate.publicKey.equals(publicKey)) return certificate.raw;
  } catch (cause) {
    throw new AttestationError(`${TITLE} answered with what is no certificate.`, { cause });
  }
  throw new AttestationError(`${TITLE} certified another key. Look for a proxy that answers in its place.`);
}
