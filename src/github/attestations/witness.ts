// The proof of when a signature was made: an entry of Sigstore's public log (Rekor), or a time stamp by RFC 3161. As the fields of a
// bundle have them: https://github.com/sigstore/protobuf-specs/blob/main/protos/sigstore_bundle.proto, looked up on 2026-11-29.

import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { parseJson } from "../../base/json.ts";
import { askService, type ServiceAccess } from "./ask-service.ts";
import { AttestationError } from "./attestation-error.ts";
import type { SigningServices } from "./signing-services.ts";

/** An envelope of DSSE as JSON. */
export type Envelope = {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly [{ readonly sig: string }];
};

export type Witnessed = {
  readonly tlogEntries?: readonly object[];
  readonly timestampVerificationData?: {
    readonly rfc3161Timestamps: readonly { readonly signedTimestamp: string }[];
  };
};

type Signed = { readonly envelope: Envelope; readonly signature: Buffer; readonly certificatePem: string };

/** Rejects with AttestationError, or with the signal's reason. */
export async function witness(
  access: ServiceAccess,
  { type, url }: SigningServices["witness"],
  signed: Signed,
): Promise<Witnessed> {
  return type === "log" ? await logEntry(access, { url, signed }) : await timestamp(access, { url, signed });
}

type Asked = { readonly url: string; readonly signed: Signed };

const LOG_TITLE = "The public log of signatures";
const RE_RUN = "Re-run the job: it attests the commit that is there.";
/** The same entry is there: a lost answer was repeated. */
const CONFLICT = 409;

const entriesSchema = z.record(
  z.string(),
  z.object({
    body: z.string(),
    integratedTime: z.int(),
    logID: z.string(),
    logIndex: z.int(),
    verification: z.object({
      signedEntryTimestamp: z.string(),
      inclusionProof: z.object({
        checkpoint: z.string(),
        hashes: z.array(z.string()),
        logIndex: z.int(),
        rootHash: z.string(),
        treeSize: z.int(),
      }),
    }),
  }),
);

async function logEntry(access: ServiceAccess, { url, signed }: Asked): Promise<Witnessed> {
  const verifier = Buffer.from(signed.certificatePem).toString("base64");
  const proposedContent = { envelope: JSON.stringify(signed.envelope), verifiers: [verifier] };
  const body = { apiVersion: "0.0.1", kind: "dsse", spec: { proposedContent } };
  const question = { title: LOG_TITLE, advice: RE_RUN };
  const made = await askService(access, {
    ...question,
    url: `${url}/api/v1/log/entries`,
    body,
    allowed: [CONFLICT],
  });
  const answer =
    made.status === CONFLICT
      ? await askService(access, { ...question, method: "GET", url: placeOf(url, made.headers("location")) })
      : made;
  const [entry] = Object.values(entriesSchema.safeParse(parseJson(answer.body)).data ?? {});
  if (entry === undefined)
    throw new AttestationError(
      `${LOG_TITLE} answered without an entry. Look for a proxy that answers in its place.`,
    );
  const { inclusionProof: proof, signedEntryTimestamp } = entry.verification;
  return {
    tlogEntries: [
      {
        logIndex: String(entry.logIndex),
        logId: { keyId: base64OfHex(entry.logID) },
        kindVersion: { kind: body.kind, version: body.apiVersion },
        integratedTime: String(entry.integratedTime),
        inclusionPromise: { signedEntryTimestamp },
        inclusionProof: {
          logIndex: String(proof.logIndex),
          rootHash: base64OfHex(proof.rootHash),
          treeSize: String(proof.treeSize),
          hashes: proof.hashes.map(base64OfHex),
          checkpoint: { envelope: proof.checkpoint },
        },
        canonicalizedBody: entry.body,
      },
    ],
  };
}

/** The log names it below its own address. */
function placeOf(url: string, location = ""): string {
  const { origin, pathname } = new URL(location, url);
  if (origin === new URL(url).origin && pathname.startsWith("/api/v1/log/entries/")) return origin + pathname;
  throw new AttestationError(`${LOG_TITLE} has the entry, and does not say where. ${RE_RUN}`);
}

async function timestamp(access: ServiceAccess, { url, signed }: Asked): Promise<Witnessed> {
  const answer = await askService(access, {
    title: "The authority of time stamps",
    advice: RE_RUN,
    url: `${url}/api/v1/timestamp`,
    body: {
      artifactHash: createHash("sha256").update(signed.signature).digest("base64"),
      hashAlgorithm: "sha256",
      certificates: true,
    },
    bodyAs: "base64",
  });
  return { timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: answer.body }] } };
}

function base64OfHex(text: string): string {
  return Buffer.from(text, "hex").toString("base64");
}
