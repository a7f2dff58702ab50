// What Fulcio checks of a request for a certificate, and what it certifies of a job's ID token. The mock of the library checks nothing.
// https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md

import { createPublicKey, verify } from "node:crypto";
import { checkSubjectToken } from "../model-house/subject-token.ts";
import { trusts } from "../model-house/trust.ts";

export type CertificateRequest = {
  readonly credentials: { readonly oidcIdentityToken: string };
  readonly publicKeyRequest: {
    readonly publicKey: { readonly algorithm: string; readonly content: string };
    readonly proofOfPossession: string;
  };
};

export type Certified = {
  readonly publicKey: Buffer<ArrayBuffer>;
  readonly subjectAltName: string;
  readonly extensions: { readonly oid: string; readonly value: string; readonly legacy?: boolean }[];
};

type Authority = {
  readonly issuer: { readonly url: string; readonly jwksUri: string };
  /** The address of the code host, without a trailing slash. */
  readonly serverUrl: string;
};

const FULCIO = "1.3.6.1.4.1.57264.1";

/** Throws an Error with Fulcio's words. */
export async function certify(
  { credentials, publicKeyRequest }: CertificateRequest,
  { issuer, serverUrl }: Authority,
): Promise<Certified> {
  const token = credentials.oidcIdentityToken;
  const trust = { ...trusts.anthropic, audience: "sigstore", takesTokensAgain: true };
  const checked = await checkSubjectToken(token, { issuer, trust, usedIds: new Set(), nowMs: Date.now() });
  if (typeof checked === "string") throw new Error("There was an error processing the identity token");
  const key = createPublicKey(publicKeyRequest.publicKey.content);
  const proof = Buffer.from(publicKeyRequest.proofOfPossession, "base64");
  if (key.asymmetricKeyType !== "ec" || !verify("sha256", Buffer.from(checked.subject), key, proof))
    throw new Error("The signature supplied in the request could not be verified");
  const claims = claimsOf(token);
  const repository = `${serverUrl}/${claims.repository}`;
  const values: Readonly<Record<number, string>> = {
    8: issuer.url,
    9: `${serverUrl}/${claims.job_workflow_ref}`,
    10: String(claims.job_workflow_sha),
    11: String(claims.runner_environment),
    12: repository,
    13: String(claims.sha),
    14: String(claims.ref),
    15: String(claims.repository_id),
    17: String(claims.repository_owner_id),
    18: `${serverUrl}/${claims.workflow_ref}`,
    19: String(claims.workflow_sha),
    20: String(claims.event_name),
    21: `${repository}/actions/runs/${claims.run_id}/attempts/${claims.run_attempt}`,
    22: String(claims.repository_visibility),
  };
  return {
    publicKey: Buffer.from(key.export({ type: "spki", format: "der" })),
    subjectAltName: `${serverUrl}/${claims.job_workflow_ref}`,
    extensions: [
      { oid: `${FULCIO}.1`, value: issuer.url, legacy: true },
      ...Object.entries(values).map(([number, value]) => ({ oid: `${FULCIO}.${number}`, value })),
    ],
  };
}

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}
