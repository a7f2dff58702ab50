// Sigstore's public services and GitHub's own, on loopback under their own names: keys, certificates, log and time stamps are made by the
// mock of Sigstore's library, requests are checked as the services do.

import { createHash, generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { initializeCA, initializeCTLog, initializeTLog, initializeTSA, tsaHandler } from "@sigstore/mock";
import { HashAlgorithm, PublicKeyDetails, TrustedRoot } from "@sigstore/protobuf-specs";
import { type Faults, makeFaults } from "../code-host/fault.ts";
import { readBody, sendJson } from "../code-host/server.ts";
import { startNamedHosts } from "../named-hosts.ts";
import { certify } from "./certificate-request.ts";
import { keptEntry } from "./log-entry.ts";

const hosts = {
  fulcio: "fulcio.sigstore.dev",
  rekor: "rekor.sigstore.dev",
  githubFulcio: "fulcio.githubapp.com",
  githubTimestamps: "timestamp.githubapp.com",
} as const;
export type SigstoreHost = keyof typeof hosts;

export type SigstoreRequest = { readonly host: SigstoreHost; readonly path: string; readonly body: string };

export interface Sigstore {
  /** What a process needs to find the hosts here. */
  readonly env: Readonly<Record<string, string>>;
  readonly requests: readonly SigstoreRequest[];
  readonly faults: Readonly<Record<SigstoreHost, Faults>>;
  /** Both trusted roots, one a line, as `gh attestation trusted-root` prints them. */
  readonly trustedRoots: string;
  /** The ID tokens that were sent here. */
  idTokens(): readonly string[];
  close(): Promise<void>;
}

type SigstoreOptions = {
  readonly issuer: { readonly url: string; readonly jwksUri: string };
  readonly serverUrl: string;
};

export async function startSigstore(options: SigstoreOptions): Promise<Sigstore> {
  const ctLog = await initializeCTLog(keyPair());
  const stampedAt = new Date();
  const [fulcio, githubFulcio, rekor, timestamps] = await Promise.all([
    initializeCA(keyPair(), ctLog),
    initializeCA(keyPair()),
    initializeTLog(`https://${hosts.rekor}`, keyPair()),
    initializeTSA(keyPair(), stampedAt),
  ]);
  const requests: SigstoreRequest[] = [];
  const faults = {
    fulcio: makeFaults(),
    rekor: makeFaults(),
    githubFulcio: makeFaults(),
    githubTimestamps: makeFaults(),
  };

  const certificate = async (authority: typeof fulcio, body: string, response: ServerResponse) => {
    try {
      const certified = await certify(JSON.parse(body), options);
      const leaf = await authority.issueCertificate(certified);
      const certificates = [leaf, authority.rootCertificate].map(pem);
      sendJson(response, 200, { signedCertificateEmbeddedSct: { chain: { certificates } } });
    } catch (cause) {
      sendJson(response, 400, { code: 3, message: messageOf(cause), details: [] });
    }
  };
  const entry = async (body: string, response: ServerResponse) => {
    try {
      sendJson(response, 201, await rekor.log(keptEntry(JSON.parse(body))));
    } catch (cause) {
      sendJson(response, 400, { code: 400, message: messageOf(cause) });
    }
  };
  /** In whole seconds, as the services do: the verifying library refuses a fraction that ends in a zero and is written in DER. */
  const stamp = async (body: string, response: ServerResponse) => {
    stampedAt.setTime(Math.floor(Date.now() / 1_000) * 1_000);
    const { statusCode, response: answer, contentType } = await tsaHandler(timestamps).fn(body);
    response.writeHead(statusCode, { "content-type": contentType ?? "text/plain" });
    response.end(typeof answer === "string" ? answer : bytesOf(answer));
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await readBody(request)).toString();
    const found = Object.entries(hosts).find(([, name]) => name === request.headers.host);
    const host = found?.[0] as SigstoreHost;
    const path = request.url ?? "/";
    requests.push({ host, path, body });
    if (await faults[host].answered(response)) return;
    const asked = `${request.method} ${host} ${path}`;
    if (asked === "POST fulcio /api/v2/signingCert") await certificate(fulcio, body, response);
    else if (asked === "POST githubFulcio /api/v2/signingCert")
      await certificate(githubFulcio, body, response);
    else if (asked === "POST rekor /api/v1/log/entries") await entry(body, response);
    else if (asked === "POST githubTimestamps /api/v1/timestamp") await stamp(body, response);
    else sendJson(response, 404, { message: `No ${asked}.` });
  };
  const named = await startNamedHosts({ hosts: Object.values(hosts), serve });
  const roots = [
    trustedRoot({ authority: fulcio, logs: [rekor], ctLogs: [ctLog], timestamps: [] }),
    trustedRoot({ authority: githubFulcio, logs: [], ctLogs: [], timestamps: [timestamps] }),
  ];
  return {
    env: named.env,
    requests,
    faults,
    trustedRoots: roots.map((root) => `${JSON.stringify(TrustedRoot.toJSON(root))}\n`).join(""),
    idTokens: () =>
      requests
        .filter(({ path }) => path === "/api/v2/signingCert")
        .map(({ body }) => String(JSON.parse(body).credentials?.oidcIdentityToken)),
    close: () => named.close(),
  };
}

function keyPair() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

type Roots = {
  readonly authority: Awaited<ReturnType<typeof initializeCA>>;
  readonly logs: readonly { readonly publicKey: Buffer }[];
  readonly ctLogs: readonly { readonly publicKey: Buffer }[];
  readonly timestamps: readonly Awaited<ReturnType<typeof initializeTSA>>[];
};

function trustedRoot({ authority, logs, ctLogs, timestamps }: Roots): TrustedRoot {
  const validFor = { start: new Date(Date.now() - 60_000) };
  const logOf = ({ publicKey }: { readonly publicKey: Buffer }) => ({
    baseUrl: `https://${hosts.rekor}`,
    hashAlgorithm: HashAlgorithm.SHA2_256,
    logId: { keyId: createHash("sha256").update(publicKey).digest() },
    checkpointKeyId: undefined,
    operator: "",
    publicKey: {
      rawBytes: Buffer.from(publicKey),
      keyDetails: PublicKeyDetails.PKIX_ECDSA_P256_SHA_256,
      validFor,
    },
  });
  const chainOf = (certificates: readonly ArrayBufferView[]) => ({
    subject: { commonName: "sigstore", organization: "sigstore.mock" },
    uri: "https://authority.example",
    certChain: { certificates: certificates.map((one) => ({ rawBytes: bytesOf(one) })) },
    validFor,
    operator: "",
  });
  return {
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: logs.map(logOf),
    ctlogs: ctLogs.map(logOf),
    certificateAuthorities: [chainOf([authority.rootCertificate])],
    timestampAuthorities: timestamps.map((one) => chainOf([one.intCertificate, one.rootCertificate])),
  };
}

function pem(certificate: ArrayBufferView): string {
  const lines =
    bytesOf(certificate)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "unknown";
}
