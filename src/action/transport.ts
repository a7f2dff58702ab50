// The client's transport inside a job: which requests go through a proxy is told by @actions/http-client, and so are their
// agents; private CAs come from Node (NODE_EXTRA_CA_CERTS). The request is our own: HttpClient never ends where an answer is
// cut off.

import * as http from "node:http";
import * as https from "node:https";
import { pipeline, Readable } from "node:stream";
import { getProxyUrl } from "@actions/http-client/lib/proxy";
import {
  bodyTooLarge,
  connectionFailed,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  timedOut,
} from "../client/transport.ts";

export type ActionTransport = {
  readonly send: Transport;
  /** Closes the connections that are kept open. */
  close(): void;
};

/** Opens connections as they are needed, and keeps them open for the next request. */
export function openTransport(): ActionTransport {
  const origins = new Map<string, Promise<Connections>>();
  return {
    send: async (request) => {
      const url = new URL(request.url);
      const connections = origins.get(url.origin) ?? connectionsOf(url);
      origins.set(url.origin, connections);
      return await sendOnce(request, url, (await connections).agent);
    },
    close: () => {
      for (const connections of origins.values()) void connections.then(({ close }) => close());
    },
  };
}

/** Those of one origin. */
type Connections = { readonly agent: http.Agent; close(): void };

async function connectionsOf(url: URL): Promise<Connections> {
  if (getProxyUrl(url) !== undefined) {
    const { openProxyAgent } = await import("./proxy-agent.ts");
    return openProxyAgent(url);
  }
  const agent =
    url.protocol === "https:" ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  return { agent, close: () => agent.destroy() };
}

function sendOnce(request: TransportRequest, url: URL, agent: http.Agent): Promise<TransportResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const { request: open } = url.protocol === "https:" ? https : http;
    const outgoing = open(url, { method: request.method, headers: headersOf(request), agent });
    const fail = (error: unknown) => {
      settle();
      reject(error);
      outgoing.destroy();
    };
    const abort = () => fail(signal?.reason);
    const timer = setTimeout(() => fail(timedOut(request)), request.timeoutMs);
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const breakOff = (cause: unknown) => fail(connectionFailed(request, cause));

    signal?.addEventListener("abort", abort, { once: true });
    let isAnswered = false;
    // A service that refuses a body answers before it has read it, and may close the connection.
    outgoing.on("error", (cause) => {
      if (!isAnswered) breakOff(cause);
    });
    outgoing.on("response", (incoming) => {
      isAnswered = true;
      const status = incoming.statusCode ?? 0;
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > request.maxBodyBytes) fail(bodyTooLarge(request, status));
      });
      incoming.on("error", breakOff);
      incoming.on("close", () => {
        if (!incoming.complete) breakOff(new Error("the answer was cut off"));
      });
      incoming.on("end", () => {
        settle();
        // What is left of a body that was refused is not sent.
        if (!outgoing.writableFinished) outgoing.destroy();
        const headers = (name: string) => firstOf(incoming.headers[name]);
        resolve({
          status,
          headers,
          body: Buffer.concat(chunks).toString(request.bodyAs === "base64" ? "base64" : "utf8"),
        });
      });
    });
    const { body } = request;
    if (body === undefined || typeof body === "string") outgoing.end(body);
    else {
      const bytes = Readable.from(body.open(), { objectMode: false });
      pipeline(bytes, outgoing, (cause) => {
        if (cause && !isAnswered) fail(bytes.errored ?? connectionFailed(request, cause));
      });
    }
  });
}

function headersOf(request: TransportRequest): Record<string, string | number> {
  const { body, headers } = request;
  if (body === undefined) return { ...headers };
  return { ...headers, "content-length": typeof body === "string" ? Buffer.byteLength(body) : body.size };
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
