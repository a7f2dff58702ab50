// Fetches a page from a host that the run may reach. The name is resolved once, every address is checked, and the
// connection goes to a checked address, so that DNS rebinding has no effect. No proxy, no cookie, no credentials.

import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { errorCodeNote } from "../../../base/error-code.ts";
import type { AdmittedConnection, RunEgress } from "../../core/egress/run-egress.ts";
import { ToolError } from "./tool.ts";

const MAX_REDIRECTS = 3;
const DEFAULT_TIMEOUT_MS = 20_000;
/** A longer page is cut. */
export const MAX_PAGE_BYTES = 2_000_000;
const HEADERS = {
  accept: "text/html, text/plain, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
  "accept-encoding": "identity",
  "user-agent": "agent-service",
};

const HTTPS_PORT = 443;

export type PageAccess = {
  readonly egress: Pick<RunEgress, "admit" | "rules">;
  /** Certificates that are trusted in the place of the usual authorities. */
  readonly ca?: string;
  /** For the whole of it, redirects included. Default 20 s. */
  readonly timeoutMs?: number;
};

export type FetchedPage = {
  /** The address that the redirects led to. */
  readonly url: string;
  /** As the host says; without a charset, lower case. */
  readonly type: string;
  readonly text: string;
  readonly isCut: boolean;
};

/** Rejects with a `ToolError` when the page is refused or cannot be had, with the signal's reason when it aborts. */
export async function fetchPage(access: PageAccess, url: string, signal: AbortSignal): Promise<FetchedPage> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = access;
  const limit = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, limit]);
  let target = checkUrl(url);
  try {
    let from: URL | undefined;
    for (let redirects = 0; ; redirects += 1) {
      const response = await ask(access, { url: target, from }, either);
      const location = redirectOf(response);
      if (location === null) return await readPage(response, target);
      response.destroy();
      if (redirects === MAX_REDIRECTS) {
        throw new ToolError("failed", `${target.host} redirects more than ${MAX_REDIRECTS} times.`);
      }
      from = target;
      target = checkUrl(location, target);
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ToolError) throw cause;
    const why = limit.aborted
      ? `did not answer within ${timeoutMs / 1000} s`
      : `could not be asked${errorCodeNote(cause)}`;
    throw new ToolError("failed", `The host ${target.host} ${why}.`, { cause });
  }
}

function checkUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (url === null) throw new ToolError("invalid_input", "The url is none: write https://host/path.");
  const from = base === undefined ? "" : `${base.host} redirects there, and `;
  if (url.protocol !== "https:") throw refusal(url, `${from}only https:// is fetched`);
  if (url.username !== "" || url.password !== "") throw refusal(url, `${from}it must not hold credentials`);
  return url;
}

function refusal(url: URL, rule: string): ToolError {
  const place = `${url.protocol}//${url.host}`;
  return new ToolError("refused", `The address ${place} is refused: ${rule}.`);
}

async function ask(
  access: PageAccess,
  { url, from }: { readonly url: URL; readonly from: URL | undefined },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const target = {
    phase: "agent",
    host: url.hostname,
    port: Number(url.port || HTTPS_PORT),
    signal,
  } as const;
  const admitted = await access.egress.admit(target);
  if (!admitted.ok) {
    const { reason, detail } = admitted.refusal;
    throw new ToolError(
      reason === "blocked" ? "refused" : "failed",
      (from === undefined ? "" : `${from.host} redirects there. `) + detail,
    );
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, {
    // An agent of its own: no kept connection, no proxy from the environment.
    agent: false,
    headers: HEADERS,
    lookup: answerWith(admitted.value.addresses),
    signal,
    ...(access.ca === undefined ? {} : { ca: access.ca }),
  })
    .once("socket", (socket) => socket.once("close", () => settle(admitted.value, socket)))
    .once("response", resolve)
    .on("error", (cause) => {
      admitted.value.close();
      reject(cause);
    })
    .end();
  return await promise;
}

function settle(connection: AdmittedConnection, { bytesRead, bytesWritten }: Socket): void {
  if (bytesRead > 0) connection.count(bytesRead + bytesWritten);
  connection.close();
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

function redirectOf({ statusCode, headers }: IncomingMessage): string | null {
  const isRedirect = statusCode !== undefined && [301, 302, 303, 307, 308].includes(statusCode);
  return isRedirect ? (headers.location ?? null) : null;
}

async function readPage(response: IncomingMessage, url: URL): Promise<FetchedPage> {
  try {
    const { statusCode = 0, headers } = response;
    if (statusCode !== 200)
      throw new ToolError("failed", `The host ${url.host} answered with ${statusCode}.`);
    const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
    const encoding = headers["content-encoding"] ?? "identity";
    if (!isText(type.trim()) || encoding !== "identity") {
      const kind = encoding === "identity" ? JSON.stringify(type.trim()) : `encoded by ${encoding}`;
      throw new ToolError("not_text", `What ${url.host} sent is no plain text: it is ${kind}.`);
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_PAGE_BYTES) break;
    }
    const body = Buffer.concat(chunks).subarray(0, MAX_PAGE_BYTES);
    const text = decoderOf(parameters).decode(body);
    return { url: url.href, type: type.trim(), text, isCut: bytes > MAX_PAGE_BYTES };
  } finally {
    response.destroy();
  }
}

function isText(type: string): boolean {
  return /^text\/|[/+](json|xml|yaml|x-yaml|toml|javascript|x-ndjson|x-sh)$/.test(type);
}

function decoderOf(parameters: readonly string[]): TextDecoder {
  const [, charset = "utf-8"] =
    /^\s*charset\s*=\s*"?([\w-]+)/.exec(parameters.find((each) => each.includes("charset")) ?? "") ?? [];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
