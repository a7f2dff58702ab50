// The HTTP proxy of one phase of a run, on a unix socket that only this run reaches. It passes on TLS connections to hosts that
// the run may reach, and nothing else: no plain http, no other method than CONNECT, no TLS that names another host.

import type { FileHandle } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { errorCodeNote } from "../../base/error-code.ts";
import type { Result } from "../../base/result.ts";
import { listenInFolder } from "../../base/unix-socket.ts";
import type { EgressPhase } from "../core/egress/rules.ts";
import type {
  AdmittedConnection,
  EgressBlock,
  EgressRefusal,
  EgressTarget,
} from "../core/egress/run-egress.ts";
import { type Authority, plainName, readAuthority } from "./authority.ts";
import { readClientHello } from "./client-hello.ts";

const HTTP_PORT = 80;
const SOCKET_NAME = "egress.sock";
const MAX_HEADER_BYTES = 8_192;
/** Connections to the proxy itself: those that are passed on have a limit of their own. */
const MAX_CLIENTS = 256;
const LINGER_MS = 1_000;

export type ProxyTimes = {
  /** For the headers of a request. */
  readonly headersMs: number;
  readonly connectMs: number;
  /** From the answer to the first message of TLS. */
  readonly helloMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
};

const usualTimes: ProxyTimes = { headersMs: 10_000, connectMs: 15_000, helloMs: 10_000, idleMs: 300_000 };

type ProxyOptions = {
  readonly phase: EgressPhase;
  readonly admit: (target: EgressTarget) => Promise<Result<AdmittedConnection, EgressRefusal>>;
  /** Records that a connection is blocked. */
  readonly refuse: (target: Omit<EgressTarget, "signal">, block: EgressBlock) => EgressRefusal;
  readonly folders: { make(): Promise<string>; remove(folder: string): Promise<void> };
  readonly times?: Partial<ProxyTimes>;
};

export type EgressProxy = {
  /** Absolute. */
  readonly socket: string;
  close(): Promise<void>;
};

export async function openProxy(options: ProxyOptions): Promise<EgressProxy> {
  const times = { ...usualTimes, ...options.times };
  const closing = new AbortController();
  const clients = new Set<Duplex>();
  const underWay = new Set<Promise<void>>();
  const { headersMs } = times;
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: headersMs,
      keepAliveTimeout: headersMs,
      connectionsCheckingInterval: Math.min(headersMs, 1_000),
    },
    (request, response) => refusePlain(options, request, response),
  );
  server.maxConnections = MAX_CLIENTS;
  server.on("connection", (client) => {
    clients.add(client);
    client.once("close", () => clients.delete(client));
  });
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    const tunnel = { ...options, times, client, closing: closing.signal };
    const work = serveTunnel(tunnel, request.url ?? "", head).finally(() => underWay.delete(work));
    underWay.add(work);
  });
  const folder = await options.folders.make();
  let handle: FileHandle;
  try {
    handle = await listenInFolder(server, { folder, name: SOCKET_NAME });
  } catch (cause) {
    await options.folders.remove(folder);
    throw cause;
  }
  const close = async () => {
    closing.abort(new Error("The run has ended."));
    const isClosed = new Promise((resolve) => server.close(resolve));
    for (const client of clients) client.destroy();
    await Promise.all(underWay);
    await isClosed;
    await handle.close();
    await options.folders.remove(folder);
  };
  return { socket: join(folder, SOCKET_NAME), close };
}

/** Whatever is no CONNECT, such as the request for an http:// URL. */
function refusePlain(
  { refuse, phase }: ProxyOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  request.resume();
  const url = URL.parse(request.url ?? "");
  const isUrl = url !== null && url.hostname !== "";
  const detail = isUrl
    ? refuse({ phase, host: url.hostname, port: Number(url.port || HTTP_PORT) }, "plain_http").detail
    : "This is a proxy for CONNECT alone.";
  response.writeHead(403, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${detail}\n`);
}

type TunnelOptions = Pick<ProxyOptions, "phase" | "admit" | "refuse"> & {
  readonly times: ProxyTimes;
  readonly client: Duplex;
  /** Aborts when the proxy closes. */
  readonly closing: AbortSignal;
};

/** Serves one CONNECT to its end. Never rejects. */
async function serveTunnel(options: TunnelOptions, authority: string, head: Buffer): Promise<void> {
  const { client, closing } = options;
  const left = new AbortController();
  client.on("error", () => client.destroy());
  client.once("close", () => left.abort(new Error("The client has closed the connection.")));
  const signal = AbortSignal.any([closing, left.signal]);
  try {
    const target = readAuthority(authority);
    if (target === null) return answer(client, "400 Bad Request", "CONNECT needs a host and a port.");
    const admitted = await options.admit({ ...target, phase: options.phase, signal });
    if (!admitted.ok) {
      const { reason, detail } = admitted.refusal;
      return answer(client, reason === "blocked" ? "403 Forbidden" : "502 Bad Gateway", detail);
    }
    try {
      await tunnel({ ...options, target, head, signal, connection: admitted.value });
    } finally {
      admitted.value.close();
    }
  } catch (cause) {
    if (!signal.aborted)
      answer(client, "502 Bad Gateway", `The host could not be reached${errorCodeNote(cause)}.`);
  } finally {
    if (signal.aborted) client.destroy();
  }
}

function answer(client: Duplex, status: string, detail: string): void {
  if (client.destroyed || client.writableEnded) return;
  const body = `${detail}\n`;
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  client.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  // What the client still sends is not kept, and it has a moment to read the answer.
  client.resume();
  const gone = setTimeout(() => client.destroy(), LINGER_MS);
  client.once("close", () => clearTimeout(gone));
}

type Connected = TunnelOptions & {
  readonly target: Authority;
  readonly head: Buffer;
  readonly signal: AbortSignal;
  readonly connection: AdmittedConnection;
};

async function tunnel(given: Connected): Promise<void> {
  const { client, connection, signal, target, times } = given;
  const server = await connectTo(target, { connection, signal, connectMs: times.connectMs });
  try {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    const hello = await readHello(given);
    if (hello === null) return;
    connection.count(hello.length);
    server.write(hello);
    await passOn(given, server);
  } finally {
    server.destroy();
    client.destroy();
  }
}

/** To one of the addresses that were checked; the name is not resolved again. */
async function connectTo(
  { host, port }: Authority,
  {
    connection,
    signal,
    connectMs,
  }: Pick<Connected, "connection" | "signal"> & { readonly connectMs: number },
): Promise<Socket> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port, lookup: pinned(connection.addresses), allowHalfOpen: true });
  const giveUp = () => socket.destroy(limit.reason);
  limit.addEventListener("abort", giveUp, { once: true });
  socket.once("connect", () => resolve(socket));
  socket.on("error", reject);
  socket.once("close", () => reject(new Error("The connection was closed.")));
  try {
    return await promise;
  } finally {
    limit.removeEventListener("abort", giveUp);
  }
}

/** Bytes of the client once its first message is whole and names the host. Null, and recorded, where it does not. */
async function readHello({
  client,
  head,
  phase,
  target,
  times,
  refuse,
  signal,
}: Connected): Promise<Buffer | null> {
  const chunks = [head];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(times.helloMs)]);
  for (;;) {
    const bytes = Buffer.concat(chunks);
    const hello = readClientHello(bytes);
    if (hello.state === "malformed") {
      refuse({ ...target, phase }, "not_tls");
      return null;
    }
    if (hello.state === "complete") {
      if (hello.name?.toLowerCase() === plainName(target.host)) return bytes;
      refuse({ ...target, phase }, "name_mismatch");
      return null;
    }
    const more = await nextChunk(client, limit);
    if (more === null) {
      // A client that goes away asks for nothing.
      if (!signal.aborted && bytes.length > 0) refuse({ ...target, phase }, "not_tls");
      return null;
    }
    chunks.push(more);
  }
}

/** Null at the end, or when the signal aborts. */
async function nextChunk(stream: Duplex, signal: AbortSignal): Promise<Buffer | null> {
  const { promise, resolve } = Promise.withResolvers<Buffer | null>();
  const take = () => {
    const chunk = stream.read() as Buffer | null;
    if (chunk !== null) resolve(chunk);
  };
  const stop = () => resolve(null);
  stream.on("readable", take);
  stream.once("end", stop);
  stream.once("close", stop);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted || stream.destroyed) stop();
  else take();
  try {
    return await promise;
  } finally {
    stream.off("readable", take);
    stream.off("end", stop);
    stream.off("close", stop);
    signal.removeEventListener("abort", stop);
  }
}

/** Resolves when both directions have ended, or nothing may pass any more. */
async function passOn(given: Connected, server: Socket): Promise<void> {
  const { client, connection, phase, refuse, target, times } = given;
  const { promise, resolve } = Promise.withResolvers<void>();
  const idle = setTimeout(resolve, times.idleMs);
  let open = 2;
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on("data", (chunk: Buffer) => {
      idle.refresh();
      if (connection.count(chunk.length)) return;
      refuse({ ...target, phase }, "too_many_bytes");
      resolve();
    });
    from.pipe(to);
    from.on("error", () => resolve());
    from.once("close", () => {
      open -= 1;
      // One that has ended leaves the other to send what it still has.
      if (open === 0 || !from.readableEnded) resolve();
    });
  }
  await promise;
  clearTimeout(idle);
}

function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = found;
    if (options.all === true || first === undefined) callback(null, found);
    else callback(null, first.address, first.family);
  };
}
