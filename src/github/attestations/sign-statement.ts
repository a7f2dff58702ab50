// A statement, signed by an identity in place of a kept key: a key for this one signature, a certificate for it, an envelope of DSSE, a
// witness. https://github.com/secure-systems-lab/dsse/blob/master/protocol.md

import type { ServiceAccess } from "./ask-service.ts";
import { AttestationError } from "./attestation-error.ts";
import { FULCIO_AUDIENCE, requestCertificate } from "./signing-certificate.ts";
import type { SigningServices } from "./signing-services.ts";
import { type Envelope, type Witnessed, witness } from "./witness.ts";

const BUNDLE_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json";

export type Bundle = {
  readonly mediaType: typeof BUNDLE_TYPE;
  readonly verificationMaterial: { readonly certificate: { readonly rawBytes: string } } & Witnessed;
  readonly dsseEnvelope: Envelope;
};

type Signer = ServiceAccess & {
  /** An ID token of this job. Rejects with an error whose message names the fix. */
  readonly mintIdToken: (audience: string, signal?: AbortSignal) => Promise<string>;
  /** Masks a value in the job's log. */
  readonly setSecret: (secret: string) => void;
};

type Payload = { readonly type: string; readonly body: Buffer };

/** Rejects with AttestationError, or with the signal's reason. */
export async function signStatement(
  signer: Signer,
  { services, payload }: { readonly services: SigningServices; readonly payload: Payload },
): Promise<Bundle> {
  const idToken = await mint(signer);
  const key = await requestCertificate(signer, { fulcioUrl: services.fulcioUrl, idToken });
  const signature = key.sign(preAuthentication(payload));
  const envelope: Envelope = {
    payload: payload.body.toString("base64"),
    payloadType: payload.type,
    signatures: [{ sig: signature.toString("base64") }],
  };
  const certificatePem = key.certificate.pem;
  const witnessed = await witness(signer, services.witness, { envelope, signature, certificatePem });
  return {
    mediaType: BUNDLE_TYPE,
    verificationMaterial: { certificate: { rawBytes: key.certificate.der.toString("base64") }, ...witnessed },
    dsseEnvelope: envelope,
  };
}

async function mint({ mintIdToken, setSecret, signal }: Signer): Promise<string> {
  try {
    const idToken = await mintIdToken(FULCIO_AUDIENCE, signal);
    setSecret(idToken);
    return idToken;
  } catch (cause) {
    signal.throwIfAborted();
    throw new AttestationError(cause instanceof Error ? cause.message : "The job has no ID token.", {
      cause,
    });
  }
}

/** What is signed of an envelope: its type and its body, each with its length before it. */
function preAuthentication({ type, body }: Payload): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `;
  return Buffer.concat([Buffer.from(head), body]);
}
