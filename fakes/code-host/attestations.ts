// Attestations of a repository, found by the digests of their subjects, as GitHub's REST API has them.
// https://docs.github.com/en/rest/repos/attestations

import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "./server.ts";

type Bundle = {
  readonly mediaType: string;
  readonly verificationMaterial: object;
  readonly dsseEnvelope: { readonly payload: string };
};

type Statement = {
  readonly predicateType: string;
  readonly subject: readonly { readonly digest: Readonly<Record<string, string>> }[];
};

type Attestation = { readonly id: number; readonly bundle: Bundle; readonly statement: Statement };

export class CodeHostAttestations {
  /** Oldest first. */
  readonly all: Attestation[] = [];
  /** Where the next answers have bundles: in themselves, or at an address. */
  where: "inline" | "address" = "inline";
  /** The refusal of a plan without attestations; null where it has them. */
  refusal: string | null = null;
  #nextId = 7_000_001;

  /** Answers a read or a write. False for a path that is none of these. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    { url, path, body }: { url: URL; path: string; body: string },
  ): boolean {
    if (path === "/attestations" && request.method === "POST") this.#keep(response, body);
    else if (path.startsWith("/attestations/sha256:") && request.method === "GET")
      this.#list(response, url, path.slice("/attestations/sha256:".length));
    else return false;
    return true;
  }

  /** Answers the address of a bundle, which is its own permission. */
  handleAddress(request: IncomingMessage, response: ServerResponse, url: URL): boolean {
    const [, id] = /^\/bundles\/(\d+)\.sn$/.exec(url.pathname) ?? [];
    const found = this.all.find((one) => String(one.id) === id);
    if (found === undefined || request.headers.authorization !== undefined) return false;
    response.writeHead(200, { "content-type": "application/x-snappy" });
    response.end(literalSnappy(Buffer.from(JSON.stringify(found.bundle))));
    return true;
  }

  #keep(response: ServerResponse, body: string): void {
    if (this.refusal !== null) {
      sendJson(response, 403, { message: this.refusal, status: "403" });
      return;
    }
    const { bundle } = JSON.parse(body) as { bundle: Bundle };
    const { payload = "" } = bundle.dsseEnvelope;
    const statement = JSON.parse(Buffer.from(payload, "base64").toString()) as Statement;
    const id = this.#nextId++;
    this.all.push({ id, bundle, statement });
    sendJson(response, 201, { id });
  }

  #list(response: ServerResponse, url: URL, digest: string): void {
    const type = url.searchParams.get("predicate_type");
    const found = this.all.filter(
      ({ statement }) =>
        statement.subject.some((one) => one.digest.sha256 === digest) &&
        (type === null || statement.predicateType === type),
    );
    if (found.length === 0) {
      sendJson(response, 404, { message: "Not Found", status: "404" });
      return;
    }
    const attestations = found.map(({ id, bundle }) =>
      this.where === "inline"
        ? { bundle, repository_id: 1, bundle_url: `${url.origin}/bundles/${id}.sn` }
        : { bundle: null, repository_id: 1, bundle_url: `${url.origin}/bundles/${id}.sn` },
    );
    sendJson(response, 200, { attestations });
  }
}

const MAX_LITERAL = 65_536;

/** Snappy's raw format, without any copy. */
function literalSnappy(contents: Buffer): Buffer {
  const parts = [varint(contents.length)];
  for (let at = 0; at < contents.length; at += MAX_LITERAL) {
    const literal = contents.subarray(at, at + MAX_LITERAL);
    const size = Buffer.alloc(2);
    size.writeUInt16LE(literal.length - 1);
    parts.push(Buffer.from([61 << 2]), size, literal);
  }
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
