// Requests to an MCP server and to its authorization server by https, within what the run may reach: the name is resolved once, every
// address is checked, and the connection goes to a checked address. A server's headers go to its own origin alone.

import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { AdmittedConnection, RunEgress } from "../../../core/egress/run-egress.ts";

const HTTPS_PORT = 443;
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
const WITHOUT_BODY = [101, 204, 205, 304];

type ServerAccess = {
  readonly egress: Pick<RunEgress, "admit">;
  readonly url: string;
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Certificates that are trusted in the place of the usual authorities. */
  readonly ca?: string;
};

/** It follows no redirect, and rejects with an Error whose message is for the run's readers. */
export function egressFetch(access: ServerAccess): typeof fetch {
  const { origin, host } = new URL(access.url);
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new Error(`${host} leads to ${url.host}: requests go to the server alone`);
    return await askWithin(access, url, init);
  };
}

/**
 * The same for what a server's OAuth leads to: its metadata, and the authorization server that it names. Each host has to be one that
 * the run may reach, and none of them is sent the server's headers.
 */
export function authorizationFetch(access: Omit<ServerAccess, "url" | "headers">): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.protocol !== "https:" || url.username !== "" || url.password !== "")
      throw finalError("it is not reached by https without credentials");
    return await askWithin({ ...access, headers: {} }, url, init);
  };
}

async function askWithin(access: Omit<ServerAccess, "url">, url: URL, init: RequestInit): Promise<Response> {
  const signal = init.signal ?? new AbortController().signal;
  const admitted = await access.egress.admit({
    phase: "agent",
    host: url.hostname,
    port: Number(url.port || HTTPS_PORT),
    signal,
  });
  if (!admitted.ok) {
    const { reason, detail } = admitted.refusal;
    if (reason !== "blocked") throw new Error(detail);
    throw finalError(`${detail} Add ${url.host} to egress.`);
  }
  const headers = new Headers(init.headers);
  headers.set("accept-encoding", "identity");
  headers.set("user-agent", "agent-service");
  for (const [name, value] of Object.entries(access.headers)) headers.set(name, value);
  const body = init.body === undefined || init.body === null ? "" : bodyText(init.body);
  const response = await send(access, {
    url,
    method: init.method ?? "GET",
    headers,
    body,
    connection: admitted.value,
    signal,
  });
  return answerOf(response);
}

/** The protocol sends texts, and forms. */
function bodyText(body: BodyInit): string {
  return typeof body === "string" || body instanceof URLSearchParams ? body.toString() : "";
}

/** Another try would be refused as this one was. */
function finalError(message: string): Error {
  return Object.assign(new Error(message), { isFinal: true });
}

type Sent = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  readonly connection: AdmittedConnection;
  readonly signal: AbortSignal;
};

async function send(
  { ca }: Pick<ServerAccess, "ca">,
  { url, method, headers, body, connection, signal }: Sent,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const length = body === "" ? {} : { "content-length": `${Buffer.byteLength(body)}` };
  request(url, {
    // An agent of its own: no kept connection, no proxy from the environment.
    agent: false,
    method,
    headers: { ...Object.fromEntries(headers), ...length },
    lookup: answerWith(connection.addresses),
    signal,
    ...(ca === undefined ? {} : { ca }),
  })
    .once("socket", (socket) =>
      socket.once("close", () => {
        if (socket.bytesRead > 0) connection.count(socket.bytesRead + socket.bytesWritten);
        connection.close();
      }),
    )
    .once("response", resolve)
    .on("error", (cause) => {
      connection.close();
      const code = "code" in cause ? ` (${String(cause.code)})` : "";
      reject(new Error(`the host ${url.host} could not be asked${code}`, { cause }));
    })
    .end(body);
  return await promise;
}

function answerOf(response: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = response;
  const plain = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(", ")]],
  );
  if (status < 200 || status > 599) {
    response.destroy();
    throw new Error(`the server answered with ${status}`);
  }
  if (WITHOUT_BODY.includes(status)) {
    response.resume();
    return new Response(null, { status, headers: plain });
  }
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy(new Error("the server's answer is larger than 10 MB"));
  });
  // Listening has begun the flow; the reader's pace begins with the stream below.
  response.pause();
  return new Response(Readable.toWeb(response) as ReadableStream<Uint8Array>, { status, headers: plain });
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
