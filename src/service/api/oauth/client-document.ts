// Fetches the document that a client's id is the address of. The name is resolved once, every address has to be public, and
// the connection goes to a checked address, so that DNS rebinding has no effect. No proxy, no redirect, no credentials.

import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Logger } from "../../../base/log.ts";
import { isPublicAddress } from "../../../base/public-address.ts";

const MAX_BYTES = 5 * 1024;
const TIMEOUT_MS = 5_000;
const UNREAD =
  "The document of an OAuth application could not be read: it cannot sign in. Where this service has no way to the public " +
  "internet, set OAUTH_CLIENT_DOCUMENTS=off, so that applications register themselves.";

export type FetchDocument = (url: string | URL) => Promise<Response>;

export type DocumentAccess = {
  readonly resolve: (name: string) => Promise<readonly string[]>;
  readonly isAllowed: (address: string) => boolean;
  /** Certificates that are trusted in the place of the usual authorities. */
  readonly ca?: string;
};

export const publicDocuments: DocumentAccess = {
  resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  isAllowed: isPublicAddress,
};

/** Rejects where the document may not be asked for, or does not come whole and in time. */
export function documentFetcher(access: DocumentAccess): FetchDocument {
  return async (target) => {
    const url = new URL(target);
    if (url.protocol !== "https:" || url.username !== "" || url.password !== "") {
      throw new Error("A client's document is fetched by https, without credentials.");
    }
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await ask(url, { access, addresses: await addressesOf(url, access), signal });
    return new Response(await readWhole(answer), {
      // A redirect would lead to what nobody has checked: only 200 is taken by the caller.
      status: answer.statusCode ?? 502,
      headers: cacheHeaders(answer),
    });
  };
}

/** Tells the operator of each document that did not come: its application cannot sign in, and is told no reason. */
export function reportFailures(fetchDocument: FetchDocument, log: Logger): FetchDocument {
  return async (target) => {
    const { host } = new URL(target);
    try {
      const answer = await fetchDocument(target);
      if (answer.status !== 200) log.warn({ host, status: answer.status }, UNREAD);
      return answer;
    } catch (cause) {
      log.warn({ host, reason: cause instanceof Error ? cause.message : "no answer" }, UNREAD);
      throw cause;
    }
  };
}

async function addressesOf(url: URL, { resolve, isAllowed }: DocumentAccess): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0 || !addresses.every(isAllowed)) {
    throw new Error("The host of a client's document is not on the public internet.");
  }
  return addresses;
}

async function ask(
  url: URL,
  asked: { access: DocumentAccess; addresses: readonly string[]; signal: AbortSignal },
): Promise<IncomingMessage> {
  const { access, addresses, signal } = asked;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, {
    agent: false,
    headers: { accept: "application/json", "accept-encoding": "identity", "user-agent": "agent-service" },
    lookup: answerWith(addresses),
    signal,
    ...(access.ca === undefined ? {} : { ca: access.ca }),
  })
    .once("response", resolve)
    .once("error", reject)
    .end();
  return await promise;
}

/** Replaces the resolver for one connection. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = found;
    if (options.all === true || first === undefined) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

async function readWhole(answer: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > MAX_BYTES) throw new Error(`A client's document has at most ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The time that the library may keep it. */
function cacheHeaders({ headers }: IncomingMessage): Record<string, string> {
  const control = headers["cache-control"];
  return control === undefined ? {} : { "cache-control": control };
}
