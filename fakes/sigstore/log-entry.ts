// What Rekor keeps of a proposed entry of the kind "dsse", after the checks that it makes: the signature by the certificate's key, over
// the envelope. The mock of the library keeps whatever it is sent.
// https://github.com/sigstore/rekor/tree/main/pkg/types/dsse/v0.0.1

import { createHash, verify, X509Certificate } from "node:crypto";

type Proposed = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: {
    readonly proposedContent: { readonly envelope: string; readonly verifiers: readonly string[] };
  };
};

type Envelope = {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly sig: string }[];
};

/** Throws an Error where Rekor would refuse it. */
export function keptEntry(proposed: Proposed): object {
  if (proposed.kind !== "dsse" || proposed.apiVersion !== "0.0.1")
    throw new Error("unsupported kind of entry");
  const { envelope: text, verifiers } = proposed.spec.proposedContent;
  const envelope = JSON.parse(text) as Envelope;
  const [verifier, ...moreVerifiers] = verifiers;
  const [signature, ...moreSignatures] = envelope.signatures;
  if (verifier === undefined || signature === undefined || moreVerifiers.length + moreSignatures.length > 0)
    throw new Error("one signature and one verifier are expected");
  const payload = Buffer.from(envelope.payload, "base64");
  const { publicKey } = new X509Certificate(Buffer.from(verifier, "base64"));
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${payload.length} `),
    payload,
  ]);
  if (!verify("sha256", signed, publicKey, Buffer.from(signature.sig, "base64")))
    throw new Error("could not verify envelope");
  return {
    apiVersion: proposed.apiVersion,
    kind: proposed.kind,
    spec: {
      envelopeHash: digestOf(text),
      payloadHash: digestOf(payload),
      signatures: [{ signature: signature.sig, verifier }],
    },
  };
}

function digestOf(contents: string | Buffer) {
  return { algorithm: "sha256", value: createHash("sha256").update(contents).digest("hex") };
}
