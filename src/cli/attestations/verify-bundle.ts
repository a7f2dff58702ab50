// Verification of a bundle by Sigstore's own library: the chain of its certificate to given roots, that the certificate was published,
// the entry of the log or the time stamp, and the signature. Loaded by the command that needs it.

import { bundleFromJSON, isBundleWithDsseEnvelope } from "@sigstore/bundle";
import { TrustedRoot } from "@sigstore/protobuf-specs";
import { type Signer, toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";
import type { SignerIdentity } from "./identity.ts";

type VerifiedBundle = {
  readonly payloadType: string;
  readonly payload: Buffer;
  readonly identity: SignerIdentity;
  /** The index of its entry in the public log; null where a time stamp takes its place. */
  readonly logIndex: string | null;
};

/** Throws an Error that names the line, for what is no trusted root. */
export function readTrustedRoots(text: string): readonly TrustedRoot[] {
  const whole = text.trim();
  const lines = whole.includes("\n") && !isJson(whole) ? whole.split("\n") : [whole];
  return lines
    .filter((line) => line.trim() !== "")
    .map((line, index) => {
      try {
        const root = TrustedRoot.fromJSON(JSON.parse(line));
        if (root.certificateAuthorities.length > 0) return root;
      } catch {
        // Said below.
      }
      throw new Error(`Line ${index + 1} is no trusted root of Sigstore.`);
    });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Throws an Error with what the library says for each root, where none of them vouches for the bundle. */
export function verifyBundle(value: unknown, roots: readonly TrustedRoot[]): VerifiedBundle {
  const bundle = bundleFromJSON(value);
  if (!isBundleWithDsseEnvelope(bundle)) throw new Error("The bundle has no statement.");
  const entity = toSignedEntity(bundle);
  const failures = new Set<string>();
  for (const root of roots) {
    try {
      const signer = new Verifier(toTrustMaterial(root), thresholdsOf(root)).verify(entity);
      const { payloadType, payload } = bundle.content.dsseEnvelope;
      const [entry] = bundle.verificationMaterial.tlogEntries;
      return { payloadType, payload, identity: identityOf(signer), logIndex: entry?.logIndex ?? null };
    } catch (cause) {
      failures.add(cause instanceof Error ? cause.message : "unknown");
    }
  }
  throw new Error([...failures].join("; "));
}

/** What has public logs must be in them; GitHub's own services have none, and a time stamp in their place. */
function thresholdsOf({ tlogs, ctlogs }: TrustedRoot) {
  return {
    tlogThreshold: Math.min(1, tlogs.length),
    ctlogThreshold: Math.min(1, ctlogs.length),
    timestampThreshold: 1,
  };
}

/** Fields of a certificate: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md, looked up on 2026-11-29. */
const FULCIO = [1, 3, 6, 1, 4, 1, 57264, 1];
const numbers = {
  runner: 11,
  repository: 12,
  repositoryId: 15,
  workflow: 18,
  invocation: 21,
} as const;

function identityOf({ identity }: Signer): SignerIdentity {
  const textOf = (number: number) => {
    const oid = [...FULCIO, number].join(".");
    const found = identity?.oids?.find(({ oid: one }) => one?.id.join(".") === oid);
    return found === undefined ? null : utf8String(found.value);
  };
  return {
    issuer: identity?.extensions?.issuer ?? "",
    signer: identity?.subjectAlternativeName ?? "",
    repository: textOf(numbers.repository) ?? "",
    repositoryId: textOf(numbers.repositoryId),
    workflow: textOf(numbers.workflow),
    runner: textOf(numbers.runner),
    invocation: textOf(numbers.invocation),
  };
}

const UTF8_STRING = 0x0c;
const LONG_FORM = 0x80;

/** Null for another value. */
function utf8String(value: Uint8Array): string | null {
  const [tag, size = 0] = value;
  if (tag !== UTF8_STRING) return null;
  const head = size < LONG_FORM ? 2 : 2 + (size & 0x7f);
  return Buffer.from(value.subarray(head)).toString("utf8");
}
